-- One row: this call; written last, it makes the rows of the call visible.
select f.call_no, f.action, f.subscriptions from call_form as f
