//! Dumps of whole databases, on SQLite and PostgreSQL.

mod damage;
mod migrations;
mod rows;
mod support;
mod tables;
