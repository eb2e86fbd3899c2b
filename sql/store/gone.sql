-- One row: a subscription was removed by a completed call; what was subscribed before that call is gone.
select u.subscription_id, max(u.call_no) as call_no
from unsubscription as u
semi join completed_call as c on c.call_no = u.call_no
group by u.subscription_id
