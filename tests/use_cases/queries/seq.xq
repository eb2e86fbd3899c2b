(: Q1 report1.xml
   accepted: for $s in (/)//section[section.title = "Procedure"] return 1 :)
for $s in doc("report1.xml")//section[section.title = "Procedure"]
return ($s//incision)[2]/instrument

(: Q2 report1.xml
   accepted: for $s in (/)//section[section.title = "Procedure"] return 1 :)
for $s in doc("report1.xml")//section[section.title = "Procedure"]
return ($s//instrument)[position()<=2]

(: Q3 report1.xml
   accepted: let $i2 := ((/)//incision)[2] for $a in ((/)//action)[. >> $i2][position()<=2] return 1 :)
let $i2 := (doc("report1.xml")//incision)[2]
for $a in (doc("report1.xml")//action)[. >> $i2][position()<=2]
return $a//instrument

(: Q4 report1.xml
   accepted: for $p in (/)//section[section.title = "Procedure"] where not(some $a in $p//anesthesia satisfies $a << ($p//incision)[1] ) return 1 :)
for $p in doc("report1.xml")//section[section.title = "Procedure"]
where not(some $a in $p//anesthesia satisfies
        $a << ($p//incision)[1] )
return $p

(: Q5 report1.xml
   refused: the node test node()
   at: node :)
<critical_sequence>
 {
  let $proc := doc("report1.xml")//section[section.title="Procedure"][1],
      $i1 :=  ($proc//incision)[1],
      $i2 :=  ($proc//incision)[2]
  for $n in $proc//node() except $i1//node()
  where $n >> $i1 and $n << $i2
  return $n
 }
</critical_sequence>
