(: Q1 items.xml
   accepted: for $i in (/)//item_tuple where $i/start_date <= xs:date("1999-01-31") and $i/end_date >= xs:date("1999-01-31") and contains($i/description, "Bicycle") order by $i/itemno return 1 :)
<result>
  {
    for $i in doc("items.xml")//item_tuple
    where $i/start_date <= xs:date("1999-01-31")
      and $i/end_date >= xs:date("1999-01-31")
      and contains($i/description, "Bicycle")
    order by $i/itemno
    return
        <item_tuple>
            { $i/itemno }
            { $i/description }
        </item_tuple>
  }
</result>

(: Q2 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
<result>
  {
    for $i in doc("items.xml")//item_tuple
    let $b := doc("bids.xml")//bid_tuple[itemno = $i/itemno]
    where contains($i/description, "Bicycle")
    order by $i/itemno
    return
        <item_tuple>
            { $i/itemno }
            { $i/description }
            <high_bid>{ max($b/bid) }</high_bid>
        </item_tuple>
  }
</result>

(: Q3 users.xml items.xml
   refused: a query of several documents (items.xml, users.xml)
   at: doc( :)
<result>
  {
    for $u in doc("users.xml")//user_tuple
    for $i in doc("items.xml")//item_tuple
    where $u/rating > "C"
       and $i/reserve_price > 1000
       and $i/offered_by = $u/userid
    return
        <warning>
            { $u/name }
            { $u/rating }
            { $i/description }
            { $i/reserve_price }
        </warning>
  }
</result>

(: Q4 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
<result>
  {
    for $i in doc("items.xml")//item_tuple
    where empty(doc("bids.xml")//bid_tuple[itemno = $i/itemno])
    return
        <no_bid_item>
            { $i/itemno }
            { $i/description }
        </no_bid_item>
  }
</result>

(: Q5 users.xml items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml, users.xml)
   at: doc( :)
<result>
  {
    unordered (
    for $seller in doc("users.xml")//user_tuple,
        $buyer in  doc("users.xml")//user_tuple,
        $item in  doc("items.xml")//item_tuple,
        $highbid in  doc("bids.xml")//bid_tuple
    where $seller/name = "Tom Jones"
      and $seller/userid  = $item/offered_by
      and contains($item/description , "Bicycle")
      and $item/itemno  = $highbid/itemno
      and $highbid/userid  = $buyer/userid
      and $highbid/bid = max(
                              doc("bids.xml")//bid_tuple
                                [itemno = $item/itemno]/bid
                         )
    return
        <jones_bike>
            { $item/itemno }
            { $item/description }
            <high_bid>{ $highbid/bid }</high_bid>
            <high_bidder>{ $buyer/name }</high_bidder>
        </jones_bike>
    )
  }
</result>

(: Q6 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
<result>
  {
    for $item in doc("items.xml")//item_tuple
    let $b := doc("bids.xml")//bid_tuple[itemno = $item/itemno]
    let $z := max($b/bid)
    where $item/reserve_price * 2 < $z
    return
        <successful_item>
            { $item/itemno }
            { $item/description }
            { $item/reserve_price }
            <high_bid>{$z }</high_bid>
         </successful_item>
  }
</result>

(: Q7 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
let $allbikes := doc("items.xml")//item_tuple
                    [contains(description, "Bicycle")
                     or contains(description, "Tricycle")]
let $bikebids := doc("bids.xml")//bid_tuple[itemno = $allbikes/itemno]
return
    <high_bid>
      {
        max($bikebids/bid)
      }
    </high_bid>

(: Q8 items.xml
   accepted: true() :)
let $item := doc("items.xml")//item_tuple
  [end_date >= xs:date("1999-03-01") and end_date <= xs:date("1999-03-31")]
return
    <item_count>
      {
        count($item)
      }
    </item_count>

(: Q9 items.xml
   accepted: let $end_dates := (/)//item_tuple/end_date for $m in distinct-values(for $e in $end_dates return month-from-date($e)) let $item := (/) //item_tuple[year-from-date(end_date) = 1999 and month-from-date(end_date) = $m] order by $m return 1 :)
<result>
  {
    let $end_dates := doc("items.xml")//item_tuple/end_date
    for $m in distinct-values(for $e in $end_dates
                              return month-from-date($e))
    let $item := doc("items.xml")
        //item_tuple[year-from-date(end_date) = 1999
                     and month-from-date(end_date) = $m]
    order by $m
    return
        <monthly_result>
            <month>{ $m }</month>
            <item_count>{ count($item) }</item_count>
        </monthly_result>
  }
</result>

(: Q10 bids.xml users.xml
   refused: a query of several documents (bids.xml, users.xml)
   at: doc( :)
<result>
 {
    for $highbid in doc("bids.xml")//bid_tuple,
        $user in doc("users.xml")//user_tuple
    where $user/userid = $highbid/userid
      and $highbid/bid = max(doc("bids.xml")//bid_tuple[itemno=$highbid/itemno]/bid)
    order by $highbid/itemno
    return
        <high_bid>
            { $highbid/itemno }
            { $highbid/bid }
            <bidder>{ $user/name/text() }</bidder>
        </high_bid>
  }
</result>

(: Q11 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
let $highbid := max(doc("bids.xml")//bid_tuple/bid)
return
    <result>
     {
        for $item in doc("items.xml")//item_tuple,
            $b in doc("bids.xml")//bid_tuple[itemno = $item/itemno]
        where $b/bid = $highbid
        return
            <expensive_item>
                { $item/itemno }
                { $item/description }
                <high_bid>{ $highbid }</high_bid>
            </expensive_item>
     }
    </result>

(: Q12 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
declare function local:bid_summary()
  as element()*
{
    for $i in distinct-values(doc("bids.xml")//itemno)
    let $b := doc("bids.xml")//bid_tuple[itemno = $i]
    return
        <bid_count>
            <itemno>{ $i }</itemno>
            <nbids>{ count($b) }</nbids>
        </bid_count>
};

<result>
 {
    let $bid_counts := local:bid_summary(),
        $maxbids := max($bid_counts/nbids),
        $maxitemnos := $bid_counts[nbids = $maxbids]
    for $item in doc("items.xml")//item_tuple,
        $bc in $bid_counts
    where $bc/nbids =  $maxbids and $item/itemno = $bc/itemno
    return
        <popular_item>
            { $item/itemno }
            { $item/description }
            <bid_count>{ $bc/nbids/text() }</bid_count>
        </popular_item>
 }
</result>

(: Q13 users.xml bids.xml
   refused: a query of several documents (bids.xml, users.xml)
   at: doc( :)
<result>
 {
    for $uid in distinct-values(doc("bids.xml")//userid),
        $u in doc("users.xml")//user_tuple[userid = $uid]
    let $b := doc("bids.xml")//bid_tuple[userid = $uid]
    order by $u/userid
    return
        <bidder>
            { $u/userid }
            { $u/name }
            <bidcount>{ count($b) }</bidcount>
            <avgbid>{ avg($b/bid) }</avgbid>
        </bidder>
  }
</result>

(: Q14 items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml)
   at: doc( :)
<result>
 {
    for $i in distinct-values(doc("items.xml")//itemno)
    let $b := doc("bids.xml")//bid_tuple[itemno = $i]
    let $avgbid := avg($b/bid)
    where count($b) >= 3
    order by $avgbid descending
    return
        <popular_item>
            <itemno>{ $i }</itemno>
            <avgbid>{ $avgbid }</avgbid>
        </popular_item>
  }
</result>

(: Q15 users.xml bids.xml
   refused: a query of several documents (bids.xml, users.xml)
   at: doc( :)
<result>
  {
    for $u in doc("users.xml")//user_tuple
    let $b := doc("bids.xml")//bid_tuple[userid=$u/userid and bid>=100]
    where count($b) > 1
    return
        <big_spender>{ $u/name/text() }</big_spender>
  }
</result>

(: Q16 users.xml bids.xml
   refused: a query of several documents (bids.xml, users.xml)
   at: doc( :)
<result>
  {
    for $u in doc("users.xml")//user_tuple
    let $b := doc("bids.xml")//bid_tuple[userid = $u/userid]
    order by $u/userid
    return
        <user>
            { $u/userid }
            { $u/name }
            {
                if (empty($b))
                  then <status>inactive</status>
                  else <status>active</status>
            }
        </user>
  }
</result>

(: Q17 users.xml items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml, users.xml)
   at: doc( :)
<frequent_bidder>
  {
    for $u in doc("users.xml")//user_tuple
    where
      every $item in doc("items.xml")//item_tuple satisfies
        some $b in doc("bids.xml")//bid_tuple satisfies
          ($item/itemno = $b/itemno and $u/userid = $b/userid)
    return
        $u/name
  }
</frequent_bidder>

(: Q18 users.xml items.xml bids.xml
   refused: a query of several documents (bids.xml, items.xml, users.xml)
   at: doc( :)
<result>
  {
    for $u in doc("users.xml")//user_tuple
    order by $u/name
    return
        <user>
            { $u/name }
            {
                for $b in distinct-values(doc("bids.xml")//bid_tuple
                                             [userid = $u/userid]/itemno)
                for $i in doc("items.xml")//item_tuple[itemno = $b]
                let $descr := $i/description/text()
                order by $descr
                return
                    <bid_on_item>{ $descr }</bid_on_item>
            }
        </user>
  }
</result>
