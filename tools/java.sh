#!/usr/bin/env bash
# Print the home of a Java runtime, 17 or later, for Spark; install one if there is none.
set -euo pipefail

home_of() {  # the home of the java command $1, if it runs and is new enough
    local settings major
    settings=$("$1" -XshowSettings:properties -version 2>&1) || return 1
    major=$(sed -n 's/^ *java\.specification\.version = //p' <<<"$settings")
    [[ $major =~ ^[0-9]+$ ]] && ((major >= 17)) || return 1
    sed -n 's/^ *java\.home = //p' <<<"$settings"
}

find_home() {
    local java
    for java in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} java \
        /opt/homebrew/opt/openjdk@17/bin/java /usr/local/opt/openjdk@17/bin/java; do
        command -v "$java" >/dev/null && home_of "$java" && return 0
    done
    return 1
}

install() {
    local root=()
    ((EUID == 0)) || root=(sudo -n)
    if command -v apt-get; then
        "${root[@]}" apt-get update -q && "${root[@]}" apt-get install -qy openjdk-17-jre-headless
    elif command -v dnf; then
        "${root[@]}" dnf install -qy java-17-openjdk-headless
    elif command -v yum; then
        "${root[@]}" yum install -qy java-17-openjdk-headless
    elif command -v apk; then
        "${root[@]}" apk add openjdk17-jre-headless
    elif command -v brew; then
        brew install openjdk@17
    else
        return 1
    fi
}

find_home && exit 0
echo "no Java runtime 17 or later found: installing one for the Spark tests" >&2
{ install >&2 && find_home; } && exit 0
echo "the Spark tests need a Java runtime, 17 or later: install OpenJDK 17 and put java on PATH or set JAVA_HOME" >&2
exit 1
