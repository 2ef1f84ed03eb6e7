//! Which user a person at the provider is.
//!
//! A person is known by issuer and subject. At the first sign-in a verified mail address says whose account it is, or a user is
//! created. Operators are never found by their address: whoever manages addresses at the provider would become operator.

use std::net::IpAddr;

use sluice_engine::EngineError;
use sluice_model::UserId;
use sluice_store::{
    StoreError,
    identities::{self, Identity},
    users::Plan,
};

use super::{Claims, Inner, SignInError};
use crate::users::NewUser;

const LONGEST_NAME: usize = 40;
/// Names that are tried for a new user.
const NAMES: usize = 5;

enum Match {
    User(UserId),
    Nobody,
    /// Why the user with the address is not signed in.
    Refused(&'static str),
}

impl Inner {
    pub(super) async fn user_of(
        &self,
        claims: &Claims,
        address: IpAddr,
    ) -> Result<UserId, SignInError> {
        let email = verified_email(claims);
        self.check_domain(email.as_deref())?;
        let identity = self.identity(claims);
        match self.find(&identity, email.clone(), address).await? {
            Match::User(user) => Ok(user),
            Match::Refused(reason) => Err(self.refused(reason)),
            Match::Nobody => match email {
                None => Err(self.refused("it gave no verified mail address")),
                Some(_) if !self.settings.create_users => Err(self.refused(
                    "no user of this server has your mail address. Ask the operator for one",
                )),
                Some(email) => self.create(claims, email, identity, address).await,
            },
        }
    }

    fn check_domain(&self, email: Option<&str>) -> Result<(), SignInError> {
        let allowed = &self.settings.allowed_domains;
        let domain = email.and_then(|email| email.rsplit_once('@'));
        let is_allowed = domain.is_some_and(|(_, domain)| allowed.contains(&domain.to_lowercase()));
        if allowed.is_empty() || is_allowed {
            return Ok(());
        }
        Err(self.refused("mail addresses of your domain may not sign in here"))
    }

    async fn find(
        &self,
        identity: &Identity,
        email: Option<String>,
        address: IpAddr,
    ) -> Result<Match, EngineError> {
        let wanted = identity.clone();
        let known = self.infra.store.read(move |c| identities::user(c, &wanted));
        if let Some(user) = known.await? {
            return Ok(Match::User(user));
        }
        let Some(email) = email else {
            return Ok(Match::Nobody);
        };
        let (identity, users) = (identity.clone(), self.users.clone());
        let found = self.infra.store.write(move |c| {
            let known = identities::with_email(c, &email)?;
            let user = match known.as_slice() {
                [] => return Ok(Match::Nobody),
                [user] => user,
                _ => {
                    return Ok(Match::Refused(
                        "several users of this server have your mail address",
                    ));
                }
            };
            if user.operator {
                return Ok(Match::Refused(
                    "the user with your mail address is an operator, who signs in with the API key",
                ));
            }
            Ok(if users.link(c, &user.id, &identity, address)? {
                Match::User(user.id.clone())
            } else {
                Match::Refused("the user with your mail address belongs to another person there")
            })
        });
        Ok(found.await?)
    }

    async fn create(
        &self,
        claims: &Claims,
        email: String,
        identity: Identity,
        address: IpAddr,
    ) -> Result<UserId, SignInError> {
        let name = username(claims, &email);
        for attempt in 0..NAMES {
            let username = if attempt == 0 {
                name.clone()
            } else {
                let suffix = UserId::random(&mut self.infra.ids.rng());
                let suffix: String = suffix.as_str().chars().rev().take(4).collect();
                format!("{name}-{suffix}")
            };
            let new = NewUser {
                username,
                email: email.clone(),
                plan: Plan::Free,
                operator: false,
            };
            match self.users.create_for(new, identity.clone(), address).await {
                Ok(user) => return Ok(user.id),
                Err(EngineError::Conflict(_)) => {
                    // The name is taken, or the same person has signed in at the same time.
                    let wanted = identity.clone();
                    let known = self.infra.store.read(move |c| identities::user(c, &wanted));
                    if let Some(user) = known.await.map_err(engine_error)? {
                        return Ok(user);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(self.refused("no username is free for you"))
    }
}

fn engine_error(error: StoreError) -> SignInError {
    EngineError::from(error).into()
}

/// The address, if the provider has verified it.
fn verified_email(claims: &Claims) -> Option<String> {
    let email = claims.email.as_ref()?.trim();
    let is_usable = email.contains('@') && !email.chars().any(char::is_control);
    (claims.email_verified && is_usable).then(|| email.to_owned())
}

/// A name for a new user: the one at the provider, else from the mail address.
fn username(claims: &Claims, email: &str) -> String {
    let local = email.split('@').next();
    let names = [
        claims.preferred_username.as_deref(),
        local,
        claims.name.as_deref(),
    ];
    let usable = |name: &str| {
        let allowed = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
        let name: String = name.chars().filter(allowed).take(LONGEST_NAME).collect();
        (!name.is_empty()).then_some(name)
    };
    let name = names.into_iter().flatten().find_map(usable);
    name.unwrap_or_else(|| "user".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verified_address_counts() {
        let claims = |email: &str, email_verified| Claims {
            email: Some(email.to_owned()),
            email_verified,
            ..Claims::default()
        };
        let verified = verified_email(&claims("a@example.com", true));
        assert_eq!(verified.as_deref(), Some("a@example.com"));
        assert_eq!(verified_email(&claims("a@example.com", false)), None);
        assert_eq!(verified_email(&claims("a", true)), None);
        assert_eq!(
            verified_email(&claims("a@b\n", true)).as_deref(),
            Some("a@b")
        );
        assert_eq!(verified_email(&claims("a\n@b", true)), None);
    }

    #[test]
    fn a_name_has_plain_characters() {
        let claims = |name: Option<&str>| Claims {
            preferred_username: name.map(str::to_owned),
            ..Claims::default()
        };
        assert_eq!(username(&claims(Some("ada l.")), "x@y"), "adal.");
        assert_eq!(username(&claims(None), "ada@example.com"), "ada");
        assert_eq!(username(&claims(Some("\u{202e}")), "ä@y"), "user");
    }
}
