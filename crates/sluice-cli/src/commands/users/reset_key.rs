//! `sluice users reset-key`

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::json;
use sluice_infra::Ids;
use sluice_model::{ApiKey, SystemClock};
use sluice_store::{
    Location, StoreError, Vault,
    audit::Action,
    data_key, transfer,
    users::{self, User},
};

use crate::{
    client::config::{Config, Profile},
    commands::{
        ask::Confirmation,
        output::{sanitized, show, show_json, show_stderr},
    },
    maintenance::{KeysOf, MachineChange, install_tls},
    options::place::PlaceOptions,
};

const EXAMPLES: &str = "\
Examples:
  sluice users reset-key --data-dir /var/lib/sluice/data
  sluice users reset-key ada --database-url postgres://sluice@db/sluice";

/// Replace a lost API key, on the machine of the server
///
/// The command changes the database itself, and needs no API key. Run it as the user of the server and with its settings. The
/// server may run meanwhile. The old key stops working at once, and the user is signed out of the console. Named keys stay
/// valid. Profiles of this machine with the old key get the new one.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ResetKeyOptions {
    /// Id or name of the user [default: the operator who was created first]
    #[arg(value_name = "ID|NAME")]
    user: Option<String>,
    #[command(flatten)]
    place: PlaceOptions,
    /// Master key of the server [default: from a file in the data folder]
    #[arg(
        long,
        env = "SLUICE_MASTER_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    master_key: Option<String>,
    #[command(flatten)]
    confirmation: Confirmation,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A database and the master keys that may be its own.
struct Server {
    location: Location,
    keys: KeysOf,
}

/// The user whose key is replaced, and the secrets of the database.
#[derive(Debug)]
struct Owner {
    user: User,
    vault: Vault,
}

struct Replaced {
    new: ApiKey,
    old_fingerprint: Option<String>,
}

pub(super) async fn reset_key(options: ResetKeyOptions) -> anyhow::Result<()> {
    let server = Server::open(&options)?;
    let name = options.user;
    let json = options.json;
    // The database is not to be used on a thread of the async runtime.
    let (server, owner) = tokio::task::spawn_blocking(move || {
        let found = server.find(name.as_deref());
        found.map(|owner| (server, owner))
    })
    .await??;
    let question = format!("Revoke the API key of {}?", sanitized(&owner.user.username));
    options.confirmation.require(question, json).await?;
    let (vault, id) = (owner.vault.clone(), owner.user.id.clone());
    let replaced = tokio::task::spawn_blocking(move || server.replace(&owner)).await??;
    let new = replaced.new.as_str();
    if json {
        show_json(&json!({ "id": id, "api_key": new }))?;
    } else {
        show(&format!("{new}\n"))?;
    }
    let profiles = Config::load().and_then(|config| replace_in_profiles(config, &vault, &replaced));
    match profiles {
        Ok(profiles) if profiles.is_empty() => {
            show_stderr("No profile has the old key: save the new one with `sluice login`\n")?;
        }
        Ok(profiles) => {
            let names = profiles.join(", ");
            show_stderr(&format!("Replaced the key in profile {names}\n"))?;
        }
        Err(error) => show_stderr(&format!(
            "The key is not in your profiles ({error:#}): save it with `sluice login`\n"
        ))?,
    }
    Ok(())
}

impl Server {
    fn open(options: &ResetKeyOptions) -> anyhow::Result<Server> {
        install_tls();
        let folder = &options.place.data_dir;
        let keys = match KeysOf::given(options.master_key.as_deref())? {
            None => KeysOf::folder(folder)?,
            given => given,
        };
        let keys = keys.ok_or_else(|| {
            anyhow!(
                "there is no master key in {}: name the data folder of the server with --data-dir, or set SLUICE_MASTER_KEY",
                folder.display()
            )
        })?;
        Ok(Server {
            location: options.place.location(folder),
            keys,
        })
    }

    fn find(&self, name: Option<&str>) -> anyhow::Result<Owner> {
        let found = transfer::snapshot(&self.location, |c| -> anyhow::Result<Option<Owner>> {
            transfer::schema_version(c)?;
            let Some(sealed) = data_key::sealed(c)? else {
                return Ok(None);
            };
            let vault = self.keys.fitting(c)?.open(&sealed)?;
            let user = match name {
                Some(name) => users::named(c, name)?,
                None => users::first_operator(c)?,
            };
            Ok(user.map(|user| Owner { user, vault }))
        });
        match (found.context("cannot read the database")?, name) {
            (Some(owner), _) => Ok(owner),
            (None, Some(name)) => bail!("the server has no user {name}"),
            (None, None) => bail!("the server has no operator yet: start it once"),
        }
    }

    fn replace(&self, owner: &Owner) -> anyhow::Result<Replaced> {
        let Owner { user, vault } = owner;
        let ids = Ids::from_entropy(Arc::new(SystemClock));
        let new = ApiKey::random(&mut ids.rng());
        let fingerprint = vault.fingerprint(new.as_str());
        let sealed = vault.seal(new.as_str().as_bytes(), &mut ids.rng());
        let replaced = transfer::update(&self.location, |c| {
            let old = users::key_fingerprint(c, &user.id)?;
            let is_there = users::set_key(c, &user.id, &fingerprint, &sealed)?;
            if is_there {
                MachineChange::of_user(Action::UserRotateKey, user).record(c)?;
            }
            Ok::<_, StoreError>(is_there.then_some(old))
        });
        let old_fingerprint = replaced
            .context("the key was not replaced")?
            .ok_or_else(|| anyhow!("the user was deleted meanwhile"))?;
        Ok(Replaced {
            new,
            old_fingerprint,
        })
    }
}

/// Returns the names of the profiles that had the old key, and so belong to this server.
fn replace_in_profiles(
    mut config: Config,
    vault: &Vault,
    replaced: &Replaced,
) -> anyhow::Result<Vec<String>> {
    let has_old = |profile: &Profile| {
        let fingerprint = vault.fingerprint(&profile.api_key);
        replaced.old_fingerprint.as_ref() == Some(&fingerprint)
    };
    let profiles: Vec<(String, Profile)> = config
        .profiles()
        .iter()
        .filter(|(_, profile)| has_old(profile))
        .map(|(name, profile)| (name.clone(), profile.clone()))
        .collect();
    for (name, profile) in &profiles {
        let api_key = replaced.new.as_str().to_owned();
        let url = profile.url.clone();
        config.set(name, Profile { url, api_key });
    }
    if !profiles.is_empty() {
        config.save()?;
    }
    Ok(profiles.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests;
