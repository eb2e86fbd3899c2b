(: Q1 book.xml
   refused: a function that calls itself
   at: local:toc($s :)
declare function local:toc($book-or-section as element()) as element()*
{
    for $section in $book-or-section/section
    return
      <section>
         { $section/@* , $section/title , local:toc($section) }
      </section>
};

<toc>
   {
     for $s in doc("book.xml")/book return local:toc($s)
   }
</toc>

(: Q2 book.xml
   accepted: //figure :)
<figlist>
  {
    for $f in doc("book.xml")//figure
    return
        <figure>
            { $f/@* }
            { $f/title }
        </figure>
  }
</figlist>

(: Q3 book.xml
   accepted: true() :)
<section_count>{ count(doc("book.xml")//section) }</section_count>,
<figure_count>{ count(doc("book.xml")//figure) }</figure_count>

(: Q4 book.xml
   accepted: true() :)
<top_section_count>
 {
   count(doc("book.xml")/book/section)
 }
</top_section_count>

(: Q5 book.xml
   accepted: for $s in (/)//section let $f := $s/figure return 1 :)
<section_list>
  {
    for $s in doc("book.xml")//section
    let $f := $s/figure
    return
        <section title="{ $s/title/text() }" figcount="{ count($f) }"/>
  }
</section_list>

(: Q6 book.xml
   refused: a function that calls itself
   at: local:section-summary($s :)
declare function local:section-summary($book-or-section as element()*)
  as element()*
{
  for $section in $book-or-section
  return
    <section>
       { $section/@* }
       { $section/title }
       <figcount>
         { count($section/figure) }
       </figcount>
       { local:section-summary($section/section) }
    </section>
};

<toc>
  {
    for $s in doc("book.xml")/book/section
    return local:section-summary($s)
  }
</toc>
