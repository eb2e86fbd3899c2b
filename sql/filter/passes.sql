-- passes(value, number, op, constant, constant_number): whether a node passes a comparison, as XPath 1.0 defines it.
-- A null number is NaN: unequal to everything, and neither less nor greater. A null value is not known yet: nothing but
-- existence passes.
case $3
  when 'exists' then true
  when 'at-least' then true
  when '=' then case when $5 is null then $1 = $4 else $2 = $5 end
  when '!=' then case when $5 is null then $1 <> $4 else $1 is not null and $2 is distinct from $5 end
  when '<' then $2 < $5
  when '<=' then $2 <= $5
  when '>' then $2 > $5
  when '>=' then $2 >= $5
  when 'contains' then contains($1, $4)
  when 'starts-with' then starts_with($1, $4)
end
