//! The commands for API keys and profiles: login, logout, signup, whoami and rotate-key.

mod login;
mod logout;
mod profile;
mod rotate_key;
mod signup;
mod switch;
mod whoami;

pub(crate) use self::{
    login::{LoginOptions, login},
    logout::{LogoutOptions, logout},
    profile::{replace_key_in_profiles, user_of},
    rotate_key::{RotateKeyOptions, rotate_key},
    signup::{SignupOptions, signup},
    switch::{ProfileCommand, profile},
    whoami::{WhoamiOptions, whoami},
};
