//! What may stand in the settings of the model. Pure.

use super::BaseUrl;
use talaria_wire::{IpcError, ModelChoice, ModelSettings};

/// Characters of a model's name.
const NAME: usize = 200;
/// Tokens; the longest context in sight has ten million.
const CONTEXT: std::ops::RangeInclusive<i64> = 256..=100_000_000;
/// Of a million tokens, or of a session; in whatever currency the user counts.
const PRICE: std::ops::RangeInclusive<f64> = 0.0..=1_000_000.0;

/// The settings as they are kept: addresses in one spelling, no blanks around.
///
/// # Errors
/// `BadRequest`, in words for the field that is wrong.
pub fn checked(settings: ModelSettings) -> Result<ModelSettings, IpcError> {
    let choice = settings.choice.map(checked_choice).transpose()?;
    if settings.context_length.is_some_and(|tokens| !CONTEXT.contains(&tokens)) {
        return Err(IpcError::bad_request("The context length is a number of tokens, at least 256."));
    }
    if [settings.input_price, settings.output_price]
        .into_iter()
        .flatten()
        .any(|price| !PRICE.contains(&price))
    {
        return Err(IpcError::bad_request("A price is a number, 0 or more."));
    }
    if settings.cost_limit.is_some_and(|limit| limit == 0.0 || !PRICE.contains(&limit)) {
        return Err(IpcError::bad_request("The limit is a number over 0. Leave it empty for none."));
    }
    Ok(ModelSettings { choice, ..settings })
}

/// One model of an endpoint, in the spelling that is kept.
///
/// # Errors
/// `BadRequest` for an address or a name that cannot be.
pub fn checked_choice(choice: ModelChoice) -> Result<ModelChoice, IpcError> {
    let base_url = BaseUrl::parse(&choice.base_url)?.to_string();
    let model = choice.model.trim().to_owned();
    if model.is_empty() || model.chars().count() > NAME || model.chars().any(char::is_control) {
        return Err(IpcError::bad_request("Choose a model, or enter its name as the server calls it."));
    }
    Ok(ModelChoice { base_url, model })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut ModelSettings)) -> Result<ModelSettings, IpcError> {
        let choice = ModelChoice { base_url: " https://x.org/v1/ ".into(), model: " m ".into() };
        let mut settings = ModelSettings { choice: Some(choice), ..ModelSettings::default() };
        change(&mut settings);
        checked(settings)
    }

    #[test]
    fn settings_are_kept_in_one_spelling() {
        let choice = with(|_| {}).expect("fine").choice.expect("a choice");
        assert_eq!((choice.base_url.as_str(), choice.model.as_str()), ("https://x.org/v1", "m"));
        assert!(with(|settings| settings.choice = None).is_ok(), "no model is a setting, too");
        assert!(
            with(|settings| settings.input_price = Some(0.0)).is_ok(),
            "a model of one's own costs nothing"
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let choice = |base_url: &str, model: &str| {
            Some(ModelChoice { base_url: base_url.into(), model: model.into() })
        };
        assert!(with(|settings| settings.choice = choice("http://x.org", "m")).is_err());
        assert!(with(|settings| settings.choice = choice("https://x.org", " ")).is_err());
        assert!(with(|settings| settings.choice = choice("https://x.org", "a\nb")).is_err());
        assert!(with(|settings| settings.context_length = Some(0)).is_err());
        assert!(with(|settings| settings.input_price = Some(-1.0)).is_err());
        assert!(with(|settings| settings.output_price = Some(f64::NAN)).is_err());
        assert!(with(|settings| settings.output_price = Some(f64::INFINITY)).is_err());
        assert!(with(|settings| settings.cost_limit = Some(0.0)).is_err());
    }
}
