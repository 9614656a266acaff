"""The `sgai` command: one small file a subcommand."""
