//! Users, as they and the operator see them.

use serde::{Deserialize, Serialize};
use sluice_model::UserId;
use utoipa::ToSchema;

/// The value of a quota without a limit: the largest integer that every JSON client reads exactly.
pub const NO_LIMIT: u64 = 9_007_199_254_740_991;

/// The current user, by plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum User {
    Free(FreeUser),
    Paid(PaidUser),
}

/// A user of the free plan. A quota of 9007199254740991 means no limit.
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
    pub orgs: Vec<Workspace>,
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
    /// The start of the next period, in epoch seconds.
    pub billing_period_end_ts: i64,
    pub billing_period_invocations: u64,
    pub orgs: Vec<Workspace>,
}

/// The workspace of a user. Each user has one, whose id is that of the user with `o_` in place of `u_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Workspace {
    #[schema(example = "o_Aiot2b")]
    pub id: String,
    pub orgname: String,
    pub name: String,
    pub email: String,
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
    /// Default: free.
    pub plan: Option<UserPlan>,
    /// Whether the user is an operator of the server. Default: false.
    pub operator: Option<bool>,
}

/// Body of `PUT /users/me`. Absent fields stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "email": "ada@example.com" }))]
pub struct UpdateOwnUser {
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub username: Option<String>,
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub email: Option<String>,
}

/// Body of `PUT /users/{id}`. Absent fields stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({ "plan": "paid" }))]
pub struct UpdateUser {
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub username: Option<String>,
    #[serde(
        default,
        deserialize_with = "crate::text::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<UserPlan>,
    /// Whether the user is an operator of the server. The last operator stays one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<bool>,
}

/// The plan of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserPlan {
    #[default]
    Free,
    Paid,
}

/// A new user with an API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: UserPlan,
    pub api_key: String,
}

/// A user, as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedUser {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub plan: UserPlan,
    /// Whether this user is an operator of the server.
    pub operator: bool,
    /// Epoch seconds.
    pub created_at: i64,
}

/// The new API key of a user.
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

/// A user that has signed up, with an API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedUp {
    #[schema(value_type = String, example = "u_Aiot2b")]
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub api_key: String,
}
