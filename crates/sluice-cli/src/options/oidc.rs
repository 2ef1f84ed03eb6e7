//! Settings of sign-in with OpenID Connect.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use sluice_infra::OidcSettings;
use url::Url;

use crate::commands::secret_file::read_secret;

#[derive(Args)]
#[command(next_help_heading = "Sign-in with OpenID Connect")]
#[expect(
    clippy::struct_field_names,
    reason = "flags have the names of the fields"
)]
pub(crate) struct OidcOptions {
    /// Address of the provider, exactly as its description has it, such as `https://id.example.com` [default: none, people sign
    /// in with API keys only]
    #[arg(
        long,
        env = "SLUICE_OIDC_ISSUER",
        value_name = "URL",
        requires = "oidc_client_id"
    )]
    oidc_issuer: Option<String>,
    /// Client id at the provider. Its redirect URI is `/oidc/callback` below the public URL
    #[arg(long, env = "SLUICE_OIDC_CLIENT_ID", value_name = "ID")]
    oidc_client_id: Option<String>,
    /// Client secret at the provider [default: none, as for public clients]
    #[arg(
        long,
        env = "SLUICE_OIDC_CLIENT_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    oidc_client_secret: Option<String>,
    /// Read the client secret from this file
    #[arg(
        long,
        env = "SLUICE_OIDC_CLIENT_SECRET_FILE",
        value_name = "FILE",
        conflicts_with = "oidc_client_secret"
    )]
    oidc_client_secret_file: Option<PathBuf>,
    /// Scopes to request, separated by spaces
    #[arg(
        long,
        env = "SLUICE_OIDC_SCOPES",
        default_value = "openid email profile",
        value_name = "SCOPES"
    )]
    oidc_scopes: String,
    /// Name of the provider on the sign-in page [default: the host of its address]
    #[arg(long, env = "SLUICE_OIDC_NAME", value_name = "NAME")]
    oidc_name: Option<String>,
    /// Domains of mail addresses that may sign in, separated by commas [default: all]
    #[arg(
        long,
        env = "SLUICE_OIDC_ALLOWED_DOMAINS",
        value_delimiter = ',',
        value_name = "DOMAINS"
    )]
    oidc_allowed_domains: Vec<String>,
    /// Create a user for each person who signs in and has none. Otherwise only people whose verified mail address a user has can
    /// sign in
    #[arg(long, env = "SLUICE_OIDC_CREATE_USERS")]
    oidc_create_users: bool,
}

impl OidcOptions {
    /// None without a provider.
    pub(crate) fn settings(&self) -> anyhow::Result<Option<OidcSettings>> {
        let (Some(issuer), Some(client_id)) = (&self.oidc_issuer, &self.oidc_client_id) else {
            return Ok(None);
        };
        let host = host(issuer)?;
        let scopes: Vec<String> = self
            .oidc_scopes
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        if !scopes.iter().any(|scope| scope == "openid") {
            bail!("--oidc-scopes must contain openid");
        }
        let domains = self.oidc_allowed_domains.iter();
        let domains = domains.map(|domain| domain.trim().trim_start_matches('@').to_lowercase());
        Ok(Some(OidcSettings {
            issuer: issuer.clone(),
            client_id: client_id.clone(),
            client_secret: self.secret()?,
            scopes,
            name: self.oidc_name.clone().unwrap_or(host),
            allowed_domains: domains.filter(|domain| !domain.is_empty()).collect(),
            create_users: self.oidc_create_users,
        }))
    }

    fn secret(&self) -> anyhow::Result<Option<String>> {
        match &self.oidc_client_secret_file {
            Some(file) => read_secret(file)
                .map(Some)
                .context("cannot use --oidc-client-secret-file"),
            None => Ok(self.oidc_client_secret.clone()),
        }
    }
}

fn host(issuer: &str) -> anyhow::Result<String> {
    let url = Url::parse(issuer).ok();
    let url = url.filter(|url| matches!(url.scheme(), "https" | "http"));
    let host = url.as_ref().and_then(|url| url.host_str());
    host.map(str::to_owned)
        .with_context(|| format!("--oidc-issuer must be an https:// address: {issuer}"))
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches};

    use super::*;

    fn settings(arguments: &[&str]) -> anyhow::Result<Option<OidcSettings>> {
        let command = OidcOptions::augment_args(Command::new("serve"));
        let arguments = std::iter::once("serve").chain(arguments.iter().copied());
        let matches = command.try_get_matches_from(arguments)?;
        OidcOptions::from_arg_matches(&matches)?.settings()
    }

    const ISSUER: [&str; 4] = [
        "--oidc-issuer",
        "https://id.example.com/a",
        "--oidc-client-id",
        "sluice",
    ];

    #[test]
    fn without_an_issuer_there_is_no_provider() {
        assert!(settings(&[]).unwrap().is_none());
        assert!(settings(&ISSUER[..2]).is_err());
    }

    #[test]
    fn name_and_scopes_have_defaults_and_domains_are_plain() {
        let found = settings(&ISSUER).unwrap().unwrap();
        assert_eq!(found.name, "id.example.com");
        assert_eq!(found.scopes, ["openid", "email", "profile"]);
        assert!(found.client_secret.is_none() && !found.create_users);
        let domains = ["--oidc-allowed-domains", "Example.com, @example.org"];
        let found = settings(&[&ISSUER[..], &domains].concat())
            .unwrap()
            .unwrap();
        assert_eq!(found.allowed_domains, ["example.com", "example.org"]);
        assert!(settings(&[&ISSUER[..], &["--oidc-scopes", "email"]].concat()).is_err());
        assert!(settings(&["--oidc-issuer", "id", "--oidc-client-id", "x"]).is_err());
    }

    #[test]
    fn the_secret_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, "s3cret\n").unwrap();
        let more = ["--oidc-client-secret-file", file.to_str().unwrap()];
        let found = settings(&[&ISSUER[..], &more].concat()).unwrap().unwrap();
        assert_eq!(found.client_secret.as_deref(), Some("s3cret"));
    }
}
