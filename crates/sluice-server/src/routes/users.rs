//! The current user.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use sluice_api::{
    Data, FieldQuery, FreeUser, ListedUser, NO_LIMIT, PaidUser, RotatedKey, UpdateOwnUser, User,
    Workspace,
};
use sluice_app::App;
use sluice_infra::Infra;
use sluice_model::{MASK, UserId};
use sluice_store::{
    subscriptions::WORKSPACE,
    usage,
    users::{self, Plan},
};

use super::{user_admin::listed, user_fields};
use crate::{
    actor::{Author, actor_of},
    auth::{Caller, Credential},
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    query::Query,
    reply,
    wrong_keys::ClientAddress,
};

const DAY_MS: i64 = 86_400_000;
const DAY_SECONDS: i64 = 86_400;

/// The current user
///
/// With the use of quotas, whose fields depend on the plan.
#[utoipa::path(get, path = "/users/me", tag = "users", operation_id = "getCurrentUser", params(FieldQuery),
    responses((status = 200, description = "The user", body = Data<User>), ApiErrors))]
pub(crate) async fn me(
    Caller { user, credential }: Caller,
    State(infra): State<Infra>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let user = match user.plan {
        Plan::Free => User::Free(free_user(&infra, user, &credential).await?),
        Plan::Paid => User::Paid(paid_user(&infra, user).await?),
    };
    Ok(reply::one(user, &FieldSelection::new(&fields)))
}

/// Change your name or email address
///
/// Absent fields stay as they are.
#[utoipa::path(put, path = "/users/me", tag = "users", operation_id = "updateCurrentUser", params(FieldQuery),
    request_body = UpdateOwnUser,
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The user", body = Data<ListedUser>), ApiErrors))]
pub(crate) async fn update(
    caller: Caller,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<UpdateOwnUser>,
) -> Result<Response, ApiError> {
    let UpdateOwnUser { username, email } = parameters;
    let change =
        user_fields::not_empty(user_fields::change(username.as_deref(), email.as_deref())?)?;
    let user = &caller.user;
    let actor = actor_of(&caller, Some(address));
    let user = app.users.update(&actor, &user.id, change).await?;
    Ok(reply::one(listed(user), &fields))
}

/// Rotate your API key
///
/// The old key becomes invalid, and all your sessions end, also the current one. Sign in again with the new key, which is shown
/// only once. Named keys stay valid.
#[utoipa::path(post, path = "/users/me/rotate_key", tag = "users", operation_id = "rotateOwnKey", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The new key", body = Data<RotatedKey>), ApiErrors))]
pub(crate) async fn rotate_key(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { fields, .. }: JsonBody<FieldQuery>,
) -> Result<Response, ApiError> {
    let id = actor.user_id.clone();
    let api_key = app.users.rotate_key(&actor, &id).await?.as_str().to_owned();
    Ok(reply::one(RotatedKey { id, api_key }, &fields))
}

async fn free_user(
    infra: &Infra,
    user: users::User,
    credential: &Credential,
) -> Result<FreeUser, ApiError> {
    let today = infra.now_ms().div_euclid(DAY_MS);
    let user_id = user.id.clone();
    let usage = infra
        .store
        .read(move |c| usage::of_day(c, &user_id, today))
        .await?;
    let settings = &infra.settings;
    Ok(FreeUser {
        api_key: match credential {
            Credential::MainKey(text) => text.clone(),
            // Scripts in the console must not be able to read the key, and named keys must not become the main one.
            Credential::NamedKey { .. } | Credential::Session { .. } => MASK.to_owned(),
        },
        orgs: vec![workspace(&user)],
        id: user.id,
        username: user.username,
        email: user.email,
        daily_compute_time_quota: settings.daily_compute_quota_ms.unwrap_or(NO_LIMIT),
        daily_compute_time_used: usage.compute_ms,
        daily_invocations_quota: settings.daily_invocations_quota.unwrap_or(NO_LIMIT),
        daily_invocations_used: usage.invocations,
    })
}

fn workspace(user: &users::User) -> Workspace {
    let tail = user.id.as_str().trim_start_matches(UserId::PREFIX);
    Workspace {
        id: format!("{WORKSPACE}{tail}"),
        orgname: user.username.clone(),
        name: user.username.clone(),
        email: user.email.clone(),
    }
}

async fn paid_user(infra: &Infra, user: users::User) -> Result<PaidUser, ApiError> {
    let period = BillingPeriod::at(infra.now_ms())
        .map_err(|error| ApiError::internal("the clock is in no calendar month", error))?;
    let BillingPeriod { start_ts, end_ts } = period;
    let (first_day, last_day) = (start_ts / DAY_SECONDS, end_ts / DAY_SECONDS - 1);
    let user_id = user.id.clone();
    let usage = infra
        .store
        .read(move |c| usage::between(c, &user_id, first_day, last_day))
        .await?;
    Ok(PaidUser {
        orgs: vec![workspace(&user)],
        id: user.id,
        username: user.username,
        email: user.email,
        billing_period_start_ts: start_ts,
        billing_period_end_ts: end_ts,
        billing_period_invocations: usage.invocations,
    })
}

/// A calendar month in UTC, in epoch seconds; the end is the start of the next one.
#[derive(Debug, PartialEq, Eq)]
struct BillingPeriod {
    start_ts: i64,
    end_ts: i64,
}

impl BillingPeriod {
    fn at(now_ms: i64) -> Result<Self, jiff::Error> {
        let today = Timestamp::from_millisecond(now_ms)?.to_zoned(TimeZone::UTC);
        let first = today.date().first_of_month();
        let next = first.checked_add(1.month())?;
        let midnight = |date: jiff::civil::Date| date.to_zoned(TimeZone::UTC);
        Ok(BillingPeriod {
            start_ts: midnight(first)?.timestamp().as_second(),
            end_ts: midnight(next)?.timestamp().as_second(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_billing_period_is_the_calendar_month() {
        let ms = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        let period = BillingPeriod {
            start_ts: ms("2024-02-01T00:00:00Z") / 1000,
            end_ts: ms("2024-03-01T00:00:00Z") / 1000,
        };
        for instant in ["2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999Z"] {
            assert_eq!(BillingPeriod::at(ms(instant)).unwrap(), period);
        }
        let december = BillingPeriod::at(ms("2024-12-31T23:59:59Z")).unwrap();
        assert_eq!(december.end_ts, ms("2025-01-01T00:00:00Z") / 1000);
    }
}
