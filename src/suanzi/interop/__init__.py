"""Other libraries' vocabularies, translated; nothing is computed here."""
