(: Q1 report1.xml
   refused: a step or predicate on results in parentheses
   at: [2] :)
for $s in doc("report1.xml")//section[section.title = "Procedure"]
return ($s//incision)[2]/instrument

(: Q2 report1.xml
   refused: a step or predicate on results in parentheses
   at: [position()<=2] :)
for $s in doc("report1.xml")//section[section.title = "Procedure"]
return ($s//instrument)[position()<=2]

(: Q3 report1.xml
   refused: a predicate on an expression in parentheses
   at: [2] :)
let $i2 := (doc("report1.xml")//incision)[2]
for $a in (doc("report1.xml")//action)[. >> $i2][position()<=2]
return $a//instrument

(: Q4 report1.xml
   refused: the expression some
   at: some $a :)
for $p in doc("report1.xml")//section[section.title = "Procedure"]
where not(some $a in $p//anesthesia satisfies
        $a << ($p//incision)[1] )
return $p

(: Q5 report1.xml
   refused: a position as a predicate
   at: [1] :)
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
