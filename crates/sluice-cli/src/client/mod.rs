//! The client of the REST API: configuration, connection settings, requests and errors.

pub(crate) mod config;
mod connection;
mod error;
mod http;

pub(crate) use self::{
    connection::Connection,
    error::ClientError,
    http::{Client, escaped},
};
