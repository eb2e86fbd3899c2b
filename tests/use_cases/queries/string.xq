(: Q1 string.xml
   refused: doc() in a filter
   at: doc( :)
doc("string.xml")//news_item/title[contains(., "Foobar Corporation")]

(: Q2 string.xml company-data.xml
   refused: a query of several documents (company-data.xml, string.xml)
   at: doc( :)
declare function local:partners($company as xs:string) as element()*
{
    let $c := doc("company-data.xml")//company[name = $company]
    return $c//partner
};

let $foobar_partners := local:partners("Foobar Corporation")

for $item in doc("string.xml")//news_item
where
  some $t in $item//title satisfies
    (contains($t/text(), "Foobar Corporation")
    and (some $partner in $foobar_partners satisfies
      contains($t/text(), $partner/text())))
  or (some $par in $item//par satisfies
   (contains(string($par), "Foobar Corporation")
     and (some $partner in $foobar_partners satisfies
        contains(string($par), $partner/text()))))
return
    <news_item>
        { $item/title }
        { $item/date }
    </news_item>

(: Q4 string.xml company-data.xml
   refused: a query of several documents (company-data.xml, string.xml)
   at: doc( :)
declare function local:partners($company as xs:string) as element()*
{
    let $c := doc("company-data.xml")//company[name = $company]
    return $c//partner
};

for $item in doc("string.xml")//news_item,
    $c in doc("company-data.xml")//company
let $partners := local:partners($c/name)
where contains(string($item), $c/name)
  and (some $p in $partners satisfies
    contains(string($item), $p) and $item/news_agent != $c/name)
return
    $item

(: Q5 string.xml
   accepted: for $item in (/)//news_item where contains(string($item/content), "Gorilla Corporation") return 1 :)
for $item in doc("string.xml")//news_item
where contains(string($item/content), "Gorilla Corporation")
return
    <item_summary>
        { concat($item/title,". ") }
        { concat($item/date,". ") }
        { string(($item//par)[1]) }
    </item_summary>
