/**
 * Characters and words of the Ministry of Education's Taiwanese that Mandarin does not write, or hardly ever. 予, 共, 攏, 閣 and
 * 伊 are left out: Mandarin has them in 給予, 公共, 拉攏, 內閣 and names.
 */
const tellingWords =
  /[𪜶毋袂佇阮恁咧媠𤆬𨑨迌囥㧎睏啉踅揣佮𠢕蹛]|啥物|按怎|囡仔|遮爾|遐爾|佗位|欲去|欲來|敢有|敢是|毋是|攏總|閣再|閣有|伊講|咱兜|這馬|昨昏|頭殼|查某|查埔|緊去/u;

/** Whether a text is written in Taiwanese rather than in Mandarin. */
export function isTaiwanese(text: string): boolean {
  return tellingWords.test(text);
}
