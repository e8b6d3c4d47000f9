//! What a child finds in its environment (security.md, "Environment"): what the user started the app with, without
//! everything of ours and without keys of models. Pure.

use std::ffi::{OsStr, OsString};

/// Ours, whatever follows.
const OURS: &str = "TALARIA_";

/// A variable of Hermes is a secret when its name holds one of these; its others (`HERMES_HOME`) are the user's.
const HERMES: &str = "HERMES_";
const SECRET_PARTS: &[&str] = &["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Whose keys open a model. A key has the provider's name and one of [`KEY_ENDS`].
const PROVIDERS: &[&str] = &[
    "AI_GATEWAY",
    "ANTHROPIC",
    "AZURE_OPENAI",
    "CEREBRAS",
    "CLAUDE_CODE_OAUTH",
    "COHERE",
    "DASHSCOPE",
    "DEEPSEEK",
    "FIREWORKS",
    "GEMINI",
    "GLM",
    "GOOGLE",
    "GROQ",
    "HF",
    "HUGGINGFACE",
    "KIMI",
    "LITELLM",
    "LMSTUDIO",
    "LM_STUDIO",
    "MINIMAX",
    "MISTRAL",
    "MOONSHOT",
    "NOUS",
    "NVIDIA",
    "OLLAMA",
    "OPENAI",
    "OPENROUTER",
    "PERPLEXITY",
    "REPLICATE",
    "TOGETHER",
    "VENICE",
    "VOLCENGINE",
    "XAI",
    "ZAI",
    "Z_AI",
];
const KEY_ENDS: &[&str] = &["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN", "_MASTER_KEY", "_TOKEN", "_KEY"];

/// The environment of a child: only [`Environment::cleaned`] makes one, so no tool can be given another.
#[derive(Clone, Default)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// `original`: the environment of the app's start, before the app set anything for its own web view (`WEBKIT_*`,
    /// `GST_*`). Names are compared without letter case, as Windows does.
    pub fn cleaned(original: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(original.into_iter().filter(|(name, _)| !is_ours(name)).collect())
    }

    /// Name and value of each variable.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable.
    pub fn get(&self, wanted: &str) -> Option<&OsStr> {
        self.variables().find(|(name, _)| *name == wanted).map(|(_, value)| value)
    }
}

/// Names alone: a value may be a secret.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    name.starts_with(OURS)
        || name.strip_prefix(HERMES).is_some_and(|rest| SECRET_PARTS.iter().any(|part| rest.contains(part)))
        || KEY_ENDS.iter().filter_map(|end| name.strip_suffix(end)).any(|owner| PROVIDERS.contains(&owner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(names: &[&str]) -> Vec<String> {
        let original = names.iter().map(|name| (OsString::from(name), OsString::from("value")));
        let environment = Environment::cleaned(original);
        environment.variables().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_is_the_users_stays_and_what_is_ours_goes() {
        let users = [
            "PATH",
            "HOME",
            "HERMES_HOME",
            "GST_DEBUG",
            "WEBKIT_DISABLE_DMABUF_RENDERER",
            "SSH_AUTH_SOCK",
            "GITHUB_TOKEN",
            "MY_OPENAI_ENDPOINT",
            "OPENAI_BASE_URL",
            "TALARIA",
            "KEYBOARD",
        ];
        let ours = [
            "TALARIA_HOME",
            "TALARIA_TOKEN",
            "TALARIA_MEDIA_SOCKET",
            "talaria_token",
            "HERMES_DASHBOARD_SESSION_TOKEN",
            "HERMES_API_KEY",
            "OPENAI_API_KEY",
            "OpenAI_Api_Key",
            "ANTHROPIC_AUTH_TOKEN",
            "OPENROUTER_API_KEY",
            "HF_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ];
        assert_eq!(cleaned(&users), users);
        assert_eq!(cleaned(&ours), [""; 0]);
    }

    #[test]
    fn a_value_is_never_shown() {
        let environment = Environment::cleaned([("A".into(), "hush".into())]);
        assert_eq!(format!("{environment:?}"), r#"["A"]"#);
    }

    #[cfg(unix)]
    #[test]
    fn names_and_values_that_are_no_unicode_pass_as_they_are() {
        use std::os::unix::ffi::OsStringExt;
        let odd = (OsString::from_vec(vec![0xff, b'A']), OsString::from_vec(vec![0xfe]));
        let environment = Environment::cleaned([odd.clone()]);
        assert_eq!(environment.0, [odd]);
    }
}
