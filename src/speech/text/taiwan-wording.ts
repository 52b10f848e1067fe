/**
 * Where OpenCC's Taiwan vocabulary is not followed. It was made for written computer text; in speech a word that people
 * in Taiwan also say must stay the word that was said (支持 is not 支援, 打開 is not 開啟), and a two-character key must
 * not match across words (上網|吧, 他的|士氣, 觀光|標章).
 */
export const wordsTaiwanSaysToo: readonly string[] = `
交互 仿真 任務欄 位圖 低級 便攜式 保存 信號 信道 優化 優先級 元音 代碼 光標 免提 內核 內置 全局 全角 公元 兼容 函數 分區
分辨率 刷新 前列腺 前綴 創建 加納 加載 半角 卡塔爾 參數 可視化 古爾德 呼出 命名空間 哈希 喬治亞 回調 圖像 圖庫 圖標 在線 壁紙
外置 外鍵 多任務 多態 大衆公司 大衆集團 奔馳 奧爾夫 字庫 字體 存儲 存盤 實例 實時 實模式 審覈 寫保護 對象 對話框 導入 導出
局部 屏蔽 嵌套 布爾 布里頓 帶寬 幾率 引導程序 彙編 後綴 循環 性能 截取 打印 打開 批量 抑鬱症 拉洛 拉莫 拋出 拷貝 持久性
指針 掛斷 採樣 接口 控件 插件 搜索 擴展 支持 散列 數據 數據源 數組 文件 文件名 文檔 映射 智能 最終用戶 查找 查看 格拉斯
格里格 桌面型 概率 構造器 模塊 權限 歐拉 死機 殺毒 比特 沃爾頓 消息 涼菜 添加 源文件 源碼 滾動條 激活 特拉華 用戶 用戶名
界面 登錄 發佈 發送 白細胞 的士 相冊 矢量 社區 禁用 福雷 科普蘭 科雷利 移動硬盤 移動電話 程序 窗口 端口 算子 算法 粘貼
組件 綁定 緩存 編程 網卡 網吧 網關 縮進 總線 缺省 聯繫 聲卡 聲明 胰腺 脫機 腳本 自行車 花屏 菜單 萬象 薩蒂 藍屏 血紅蛋白
表達式 複印 視圖 觸摸 設備 設置 註冊表 註銷 詞組 調度 調用 調製 調試 變量 貝利尼 賴希 超聲波 輔音 進制 通信 連接 連接器
進程 運行 溢出 遞歸 遠程 適配器 重命名 重裝 重載 錄像 鏈接 鏡像 門電路 阻滯劑 隊列 集成 集羣 頁眉 頁腳 項目 類型 類模板
顯卡 顯存 飛行模式 高清 高端 高級 默認值 點擊 香農 串口 串行 主板 主引導記錄 丁當 丁丁當 冰棍 字段 字符 字節 截屏 句柄
強生公司 門戶網站 鮑羅丁
`
  .trim()
  .split(/\s+/);

/** How Taiwan spells every day, where OpenCC follows the stricter dictionary form (瞭解, 汙染). */
export const everydayTaiwanSpellings: readonly (readonly [string, string])[] = [
  ['了解', '了解'],
  ['污', '污'],
];
