//! The network access of components.

use std::{ffi::OsString, fs, io, path::Path};

use super::{egress_proxy::EgressProxy, exceptions::Exceptions};
use crate::broker::Guard;

const CA_FILE: &str = "egress-ca.pem";

#[derive(Debug, Clone)]
pub struct Network {
    pub private: PrivateNetworks,
    /// Allows IPv6 where the broker cannot check it. Deno cannot block ranges of IPv6.
    pub ipv6: bool,
    pub proxy: Option<EgressProxy>,
}

#[derive(Debug, Clone)]
pub enum PrivateNetworks {
    Allowed,
    Blocked(Exceptions),
}

impl Default for Network {
    fn default() -> Network {
        Network {
            private: PrivateNetworks::Blocked(Exceptions::default()),
            ipv6: false,
            proxy: None,
        }
    }
}

impl Network {
    /// The rules of the broker.
    pub(super) fn guard(&self) -> Guard {
        match (&self.proxy, &self.private) {
            (Some(proxy), _) => Guard::Only(proxy.address()),
            (None, PrivateNetworks::Allowed) => Guard::Anywhere,
            (None, PrivateNetworks::Blocked(exceptions)) => exceptions.guard(),
        }
    }

    /// Where there is no broker, IPv6 is either open or closed.
    pub(super) fn allows_ipv6(&self, brokered: bool) -> bool {
        let everywhere = matches!(self.private, PrivateNetworks::Allowed);
        self.proxy.is_none() && (brokered || self.ipv6 || everywhere)
    }

    /// With a proxy, all other connections are blocked.
    pub(super) fn allows_udp(&self) -> bool {
        self.proxy.is_none()
    }

    pub(super) fn connect_ports(&self) -> Option<Vec<u16>> {
        self.proxy
            .as_ref()
            .map(|proxy| vec![proxy.address().port()])
    }

    /// Deno's flags.
    pub(super) fn permissions(&self) -> Vec<OsString> {
        let mut flags = vec![OsString::from("--allow-net")];
        if let PrivateNetworks::Blocked(exceptions) = &self.private {
            let proxy = self.proxy.as_ref().map(EgressProxy::address);
            let denied = exceptions.denied(proxy).join(",");
            flags.push(format!("--deny-net={denied}").into());
        }
        flags
    }

    /// The flags for the certificate authority of the proxy.
    pub(super) fn trust(&self, harness: &Path) -> Vec<OsString> {
        match self.ca() {
            Some(_) => vec!["--cert".into(), harness.join(CA_FILE).into()],
            None => Vec::new(),
        }
    }

    /// The environment variables in which HTTP clients look for a proxy.
    pub(super) fn environment(&self) -> Vec<(&'static str, &str)> {
        let Some(proxy) = &self.proxy else {
            return Vec::new();
        };
        let url = proxy.url();
        let mut environment = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
            .map(|name| (name, url))
            .to_vec();
        environment.push(("NODE_USE_ENV_PROXY", "1"));
        environment
    }

    /// Copies the certificate to a folder that processes can read.
    pub(super) fn write_ca(&self, harness: &Path) -> io::Result<()> {
        if let Some(ca) = self.ca() {
            fs::copy(ca, harness.join(CA_FILE)).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", ca.display()))
            })?;
        }
        Ok(())
    }

    fn ca(&self) -> Option<&Path> {
        self.proxy.as_ref()?.ca()
    }
}
