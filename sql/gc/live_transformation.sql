-- One row: a transformation of a visible subscription.
select distinct t.transformation_id
from subscription_transformation as t
semi join visible as v on v.subscription_id = t.subscription_id and v.call_no = t.call_no
