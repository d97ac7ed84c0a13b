"""A survey of one's own: from the question to the estimate.

The survey file is the contract (`ppdm.contract`) in YAML. From it come

    advice     what it costs and what it protects, before anybody is asked
    form       the respondent's page: one HTML file that asks, disguises and forgets; `devices` in
               place of its chance; `pages` from templates
    codes      a report as a short code that can be read out, typed, scanned and checked
    slides     a first lecture with it, on ten slides
    collect    codes from files and pasted lists; `server` for a lecture; `sheets` to and from others
    compliance how many followed the instructions, and shares corrected for it
    fieldwork  simulated surveys of people of whom some do not follow
    relate     regressions, by disguised answers too; the unrelated question with two samples; how many respondents one needs
    report     the result as a page and as CSV
    plan       a survey of a country, on paper and by simulation
    choice     which scheme should I use? `ppdm advise`
    commands   `ppdm survey`; `cli` is `ppdm estimate`, which stands on `ppdm.estimate`

True answers never leave the respondent's page.

    from ppdm.contract import Survey
    from ppdm.survey import estimate

    shares = estimate("reports/*.parquet", Survey.load("scheme.json"), by="region")
"""

from ppdm.estimate import estimate
from ppdm.survey.codes import Codes
from ppdm.survey.form import form

__all__ = ["Codes", "estimate", "form"]
