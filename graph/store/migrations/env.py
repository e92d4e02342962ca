"""How Alembic runs our migrations: on the connection it is handed, inside the caller's transaction."""

from __future__ import annotations

from alembic import context

from graph.store.tables import metadata

OURS = frozenset(metadata.tables)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    # The checkpoint tables in the same database belong to LangGraph.
    include_object=lambda _thing, name, kind, _reflected, _other: kind != "table" or name in OURS,
)
context.run_migrations()
