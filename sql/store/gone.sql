-- One row: a removed subscription id, and the last call that removed it; earlier subscriptions with it are gone.
select u.subscription_id, max(u.call_no) as call_no
from unsubscription as u
semi join completed_call as c on c.call_no = u.call_no
group by u.subscription_id
