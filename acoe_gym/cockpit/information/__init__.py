"""What the eight informational tools answer from: frozen data, charts and the regulation digest."""
