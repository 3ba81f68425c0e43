"""The fast replay: from the bytes of a log segment to Arrow tables of its files, without Python objects per row."""
