/** As variables of the environment are named that hold a secret. */
export const SECRET_NAME =
  /(?:^|_)(?:TOKEN|PAT|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|(?:ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|MASTER|DEPLOY)_KEY|CREDENTIALS?)(?:_BASE64|_B64|_ID)?$/;
