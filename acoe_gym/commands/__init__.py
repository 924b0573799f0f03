"""What the commands of ``acoe`` print: data and pages, apart from the command line itself."""
