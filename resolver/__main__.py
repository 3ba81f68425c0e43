"""`python -m deltaresolver` is the command `deltaresolver`."""

from deltaresolver.cli.main import main

if __name__ == "__main__":
    main()
