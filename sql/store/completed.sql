-- One row: this call is complete; written last, it makes the rows of the call visible.
select f.call_no, f.action, f.subscriptions from call_form as f
