"""Work on untrusted files in another process, which is ended when it takes too much time or memory."""
