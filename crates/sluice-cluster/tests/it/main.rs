//! Nodes on one PostgreSQL.

mod membership;
