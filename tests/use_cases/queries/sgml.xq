(: Q1 sgml.xml
   accepted: true() :)
<result>
  {
    //report//para
  }
</result>

(: Q2 sgml.xml
   accepted: true() :)
<result>
  {
    //intro/para
  }
</result>

(: Q3 sgml.xml
   accepted: //chapter[empty(intro)] :)
<result>
  {
    for $c in //chapter
    where empty($c/intro)
    return $c/section/intro/para
  }
</result>

(: Q4 sgml.xml
   accepted: true() :)
<result>
  {
    (((//chapter)[2]//section)[3]//para)[2]
  }
</result>

(: Q5 sgml.xml
   accepted: true() :)
<result>
  {
    //para[@security = "c"]
  }
</result>

(: Q6 sgml.xml
   accepted: //section/@shorttitle :)
<result>
  {
    for $s in //section/@shorttitle
    return <stitle>{ $s }</stitle>
  }
</result>

(: Q7 sgml.xml
   accepted: for $i in //intro/para[1] return 1 :)
<result>
  {
    for $i in //intro/para[1]
    return
        <first_letter>{ substring(string($i), 1, 1) }</first_letter>
  }
</result>

(: Q8a sgml.xml
   accepted: true() :)
<result>
  {
    //section[.//title[contains(., "is SGML")]]
  }
</result>

(: Q8b sgml.xml
   accepted: true() :)
<result>
  {
    //section[.//title/text()[contains(., "is SGML")]]
  }
</result>

(: Q9 sgml.xml
   accepted: for $id in //xref/@xrefid return 1 :)
<result>
  {
    for $id in //xref/@xrefid
    return //topic[@topicid = $id]
  }
</result>

(: Q10 sgml.xml
   accepted: true() :)
<result>
  {
    let $x := //xref[@xrefid = "top4"],
        $t := //title[. << $x]
    return $t[last()]
  }
</result>
