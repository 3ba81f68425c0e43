"""Work on what strangers wrote, in a process that is ended when it takes too long or too much memory."""
