export function pageSize(
  script: string,
  options?: { readonly external?: RegExp; readonly inlineConst?: boolean },
): Promise<number>
