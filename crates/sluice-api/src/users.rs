//! Accounts, as their owners and the operator see them.

use serde::{Deserialize, Serialize};
use sluice_model::UserId;
use utoipa::ToSchema;

/// Stands in a quota field when there is no limit: the largest integer that every JSON client reads exactly.
pub const NO_LIMIT: u64 = 9_007_199_254_740_991;

/// The current user, by plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum User {
    Free(FreeUser),
    Paid(PaidUser),
}

/// A user of the free plan. A quota of 9007199254740991 means that there is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub api_key: String,
    /// Milliseconds for each UTC day.
    pub daily_compute_time_quota: u64,
    /// Milliseconds since 00:00 UTC.
    pub daily_compute_time_used: u64,
    pub daily_invocations_quota: u64,
    pub daily_invocations_used: u64,
}

/// A user of the paid plan. The billing period is the calendar month in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaidUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    /// Epoch seconds.
    pub billing_period_start_ts: i64,
    /// Epoch seconds of the instant at which the next period begins.
    pub billing_period_end_ts: i64,
    pub billing_period_invocations: u64,
}

/// Body of `POST /users`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CreateUser {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub username: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub email: Option<String>,
    /// Left out means free.
    pub plan: Option<UserPlan>,
}

/// What an account pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserPlan {
    #[default]
    Free,
    Paid,
}

/// A new account, with the key that it signs in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: UserPlan,
    pub api_key: String,
}

/// A user as the operator sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: UserPlan,
    /// Whether this user runs the server.
    pub operator: bool,
    /// Epoch seconds.
    pub created_at: i64,
}

/// A user's new key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RotatedKey {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub api_key: String,
}

/// Body of `POST /signup`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SignUp {
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub username: Option<String>,
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub email: Option<String>,
}

/// An account that its user has made, with the key that it signs in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedUp {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub api_key: String,
}
