"""`python -m isodyn` is the command line."""

from isodyn.cli import main

if __name__ == "__main__":
    main()
