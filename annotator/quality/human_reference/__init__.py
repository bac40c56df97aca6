"""Human reference: answers of people who have not worked on the items, to compare models with."""
