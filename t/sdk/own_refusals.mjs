export function checkRefusals(files) {}
