//! `sluice apps add`

use clap::Args;
use sluice_api::{App, AuthType, CustomField, RegisterApp};

use super::{
    client_secret::ClientSecret, field_spec::parse_field, hints::next_steps,
    oauth_flags::OauthFlags, set_oauth::show_client, target::require_operator,
};
use crate::commands::{
    common::Common,
    output::{sanitized, show, show_json, show_stderr},
};

/// The slug is before the fields, because a word after them would be one more field.
const USAGE: &str = "sluice apps add <SLUG> [OPTIONS] <--keys <FIELD>...|--oauth|--none>";
const EXAMPLES: &str = "\
Examples:
  sluice apps add weather --name Weather --keys 'api_key:API key:secret' region:optional
  sluice apps add tracker --name Tracker --oauth --client-id abc123 --client-secret-file secret.txt \\
      --authorization-url https://tracker.example.com/authorize --token-url https://tracker.example.com/token --scope read
  sluice apps add calendar-feed --none";

/// Add an app that is not in the catalogue, or replace one (operator only)
///
/// The slug is the value of `app` in the app props of components. An app keeps its accounts when it is replaced, and its client
/// secret when no other is given.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, override_usage = USAGE)]
pub(crate) struct AddOptions {
    /// Slug of the app: lower-case letters, digits, _ and -
    slug: String,
    /// Name of the app [default: the slug]
    #[arg(long)]
    name: Option<String>,
    /// Description of the app
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    authentication: Authentication,
    #[command(flatten)]
    oauth_flags: OauthFlags,
    #[command(flatten)]
    secret: ClientSecret,
    #[command(flatten)]
    common: Common,
}

/// The groups of flags that describe a provider and its client.
const OF_OAUTH: [&str; 2] = ["OauthFlags", "ClientSecret"];

/// How accounts authenticate: exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Authentication {
    /// Accounts have these fields. Secret ones are hidden in forms
    #[arg(long, value_name = "NAME[:LABEL][:optional][:secret]", num_args = 1.., value_parser = parse_field, conflicts_with_all = OF_OAUTH)]
    keys: Vec<CustomField>,
    /// Accounts are connected with OAuth 2
    #[arg(long)]
    oauth: bool,
    /// The app needs no accounts
    #[arg(long, conflicts_with_all = OF_OAUTH)]
    none: bool,
}

impl Authentication {
    fn kind(&self) -> AuthType {
        match (self.oauth, self.none) {
            (true, _) => AuthType::Oauth,
            (false, true) => AuthType::None,
            (false, false) => AuthType::Keys,
        }
    }
}

pub(super) async fn add(options: AddOptions) -> anyhow::Result<()> {
    let json = options.common.json;
    let client = options.common.connection.client()?;
    require_operator(&client).await?;
    let app: App = client.post("/apps", &body(options).await?).await?;
    if json {
        return show_json(&app);
    }
    if app.auth_type == AuthType::Oauth {
        return show_client(&app);
    }
    show(&format!(
        "Added {} ({})\n",
        sanitized(&app.name),
        app.name_slug
    ))?;
    Ok(show_stderr(&next_steps(&app))?)
}

async fn body(options: AddOptions) -> anyhow::Result<RegisterApp> {
    let kind = options.authentication.kind();
    let oauth = match kind {
        AuthType::Oauth => {
            let name = options.name.as_ref().unwrap_or(&options.slug);
            let secret = options.secret.read(name, options.common.json).await?;
            Some(options.oauth_flags.client(secret)?)
        }
        AuthType::Keys | AuthType::None => None,
    };
    Ok(RegisterApp {
        name_slug: Some(options.slug),
        name: options.name,
        description: options.description,
        auth_type: Some(kind),
        custom_fields: (kind == AuthType::Keys).then_some(options.authentication.keys),
        oauth,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use sluice_api::ClientAuthentication;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: AddOptions,
    }

    fn parse(line: &str) -> Result<AddOptions, clap::Error> {
        let words = ["add"].into_iter().chain(line.split(' '));
        Line::try_parse_from(words).map(|line| line.options)
    }

    #[tokio::test]
    async fn keys_become_fields() {
        let options = parse("weather --json --keys api_key:Key:secret region:optional").unwrap();
        let body = body(options).await.unwrap();
        assert_eq!(body.auth_type, Some(AuthType::Keys));
        let fields = body.custom_fields.unwrap();
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["api_key", "region"]);
        assert!(fields[1].optional && body.oauth.is_none());
    }

    #[tokio::test]
    async fn flags_describe_a_provider() {
        let line = "shop --json --oauth --client-id c --authorization-url https://{shop}.test/a --token-url https://t.test \
                    --scope a --scope b --param prompt=consent --token-param x=y=z --field shop:Shop --no-pkce \
                    --client-authentication post --scope-separator ,";
        let line: Vec<&str> = line.split_whitespace().collect();
        let body = body(parse(&line.join(" ")).unwrap()).await.unwrap();
        let oauth = body.oauth.unwrap();
        assert_eq!(oauth.scopes, ["a", "b"]);
        assert_eq!(oauth.authorize_params["prompt"], "consent");
        assert_eq!(oauth.token_params["x"], "y=z");
        assert_eq!(oauth.fields[0].label.as_deref(), Some("Shop"));
        let method = oauth.client_authentication;
        assert_eq!(method, Some(ClientAuthentication::Post));
        assert_eq!((oauth.pkce, oauth.client_secret), (Some(false), None));
        assert_eq!(oauth.scope_separator.as_deref(), Some(","));
    }

    #[test]
    fn exactly_one_kind_of_authentication_is_needed() {
        for line in [
            "a",
            "a --none --keys k",
            "a --none --oauth",
            "a --oauth",
            "a --oauth --client-id c --token-url https://t.test",
            "a --none --scope s",
            "a --keys k --no-pkce",
            "a --none --client-secret-file f",
            "a --keys k:one:two",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("a --none").is_ok());
    }
}
