//! The address guard: users can make the server connect to public addresses only, unless the operator allows private
//! ones. The address that a name resolves to is checked when the connection is made.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use reqwest::{
    ClientBuilder, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use sluice_model::is_public;

const REFUSAL: &str = "the address is private";

/// Makes and guards the HTTP clients that send requests to addresses of users.
#[derive(Debug, Clone, Copy)]
pub struct NetGuard {
    allow_private: bool,
}

impl NetGuard {
    pub fn new(allow_private: bool) -> NetGuard {
        NetGuard { allow_private }
    }

    /// A client that connects to allowed addresses only. A URL must pass [`NetGuard::judge`] before.
    pub fn client(self) -> ClientBuilder {
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("sluice/", env!("CARGO_PKG_VERSION")));
        if self.allow_private {
            builder
        } else {
            builder.dns_resolver(Arc::new(PublicOnly))
        }
    }

    /// Checks a literal address, which never reaches the resolver.
    pub fn judge(self, url: &Url) -> Result<(), &'static str> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(address) if !self.allow_private && !is_public(address) => Err(REFUSAL),
            _ => Ok(()),
        }
    }
}

/// The innermost cause of a failed request, which is the part that a user understands.
pub fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Whether a request failed because its name resolves to private addresses only.
pub fn is_refusal(error: &reqwest::Error) -> bool {
    root_cause(error) == REFUSAL
}

struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(io::Error::other(REFUSAL).into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}
