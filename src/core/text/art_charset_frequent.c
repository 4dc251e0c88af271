
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset_frequent.h"


#define ART_FREQUENT_BYTES  3            /* of each character */


typedef struct {
    const char  *often;
    size_t       noften;         /* bytes */
    const char  *known;
    size_t       nknown;
} art_frequent_row_t;


static unsigned art_frequent_has(const char *list, size_t len, uint32_t code);
static uint32_t art_frequent_code(const uint8_t *utf8);


/*
 * Sorted by code point.  Counted in translations of programs, for the words of
 * comments and logs; to these, the ideographs of everyday texts were added, and
 * the words of tables and names of people.
 */

static const char  art_frequent_simplified_often[] =
    "一上下不个中为主义了于从令以件位作使信值像允入关内"
    "写出函分列创到制前加务动包区单参发取口只可号合同名"
    "后否含启告命和器图在地型处备复外多大失如子字存定密"
    "对将小已序库应度建开式引当录必性息您成或户所打找持"
    "指换据接操支改效数文新方无时是显更最有服期未本来果"
    "查标格档模正此段没法点版现理用的目知码示称移程空符"
    "签类系索组结统编置者能色节行表被要解认记许设证识语"
    "误请读败超输过这进选部配重量钥错键长间限除需项须默";

static const char  art_frequent_simplified_known[] =
    "丁万三与专且世业东丝丢两严串临举久么之乌乔也乡书予"
    "争事二云互五亚些交产享京亮人什仅今介仍仓他付代们价"
    "任份仿休优会传伪伯似但低住体何余你例供依侧侯便俄保"
    "修候假偏做停傅储儿元充先光克免全公六兰共其具典兼册"
    "再军冬冯冲决况准减几击切划刘则初删利别刷券削剩副力"
    "功助勤匈化北匙匹十升半协南占卡卢印即却卷历压原去县"
    "又及友双反受变叠古句另台史右叶司各吊向吕吗听吴员周"
    "味品哈响哪唐售唯商四回因围固国土圳场址坏块垂城域基"
    "堆塞填境增声夏夜够天太头夹奖套女她好始姓姚姜媒孔孙"
    "孟学它安宋完宏宝实审客家容宽寄寸寻导封射少尔尚尝就"
    "尹尺尼尽尾局层屏展属山崔嵌川州工左差己巴市布师希带"
    "帮常幕平年并广床底店废康廖延异弃张弹强归形彩彭影径"
    "待很後徐得循微德心志快忽态思急总恢情惠想意感我战截"
    "戳戴手才扣执扩扫批承技把折护报拉拒拖拟拥择括拷挂按"
    "损捷授排控推掩描提插搜摘摸播收放政敏教散整料斜断斯"
    "於族日旧早明易映春昨昼普景暂曜曲曹曾替月望朝木末术"
    "朱机杀权李杜束条杨板构析林枚架柄柏某染栈栏树校样核"
    "根框案桌梁检槽横次款止步武死殊毁母每比毛毫氏民气水"
    "永求汇汉江汤汪沈河治波注洛活派流测浏浮海消涉深添清"
    "渲游湖源溢滑滚满滤演潘激火烁焦然照熊父片牌牙物特状"
    "独率王环班瑞生田由电男画界留略番疑登白监盖盘直相省"
    "看真眼着短石硬确碟磁社神禁离私秋种科秒秦积税突窗立"
    "竖站章端笔第等策简算管箭箱簇米精素紧繁约级纯纳纹线"
    "细终经绑绕绘给络绝继绩续维缀缓缘缩缺网罗美群翻老考"
    "而耗耳职联聚背胡脑脚脱自至致花苏若英范荐获菜萧落董"
    "蒋蔡薛藏虑虚螺街补袁装西覆见观规视览觉角触言警计订"
    "让议论访词译试诗话询该详说调谢谭象贝负责账货质购贺"
    "贾资赖走赵起越足距跟跨路跳踪身车转软载较辅辑边达迎"
    "运近返还远违连迟述追退送适透递逗通速造逻遇道避邓那"
    "邮邱邵邹郑郝郭都采释里金鉴针钉钟钮钱银链销锁门闪闭"
    "问阅阎队阴阶阻阿附际陆陈院陷随隐隔难集雨雪零雷霜非"
    "面韩音页顶顺顾预领频题颜额风食饰首马驱验高魏鸟黄黎"
    "鼠齐龄龙龚";

static const char  art_frequent_traditional_often[] =
    "一上下不中串主之了代令以件位作使來個值像元入內具出"
    "分列別到前加動包區印取可合名否告啟單器圖在址型執外"
    "多大失如子字存定密寫寬將對小工已序度庫建式影後得從"
    "性態應成或所找指按提換援支效敗數文料新方於明是時更"
    "最會有服未本果格案標模機檔正此段沒法為無版狀理生用"
    "當發的目碼示移程稱空窗立端符第簽籤組結線編置者能自"
    "至色號行表被要視解訊記設該語誤請證警讀變資輸這連過"
    "選邊部配重金鈕錄錯鍵鑰長開間關除需面項預頭類顯體點";

static const char  art_frequent_traditional_known[] =
    "丁万三与且世並么也予事二于云互五些亞交享京亮人什今"
    "介仍他付价任份伊伐休伯伸伺似但佈低住体佔何余你併例"
    "供依侯便係俄保信修倉們倒候假偏做停側偵傅備傳傾僅價"
    "優儲儿允充先光克兒全兩公六共其典冊再冬准几函切划初"
    "判利刪制券刻則削副劃劉力功助務勢勤匈化北匙匣匯十升"
    "半卓協南卡即卸卻原去參又及友反受口古句另只叫右司各"
    "同后向含听吳呂呈周呼命和品員哥哪唐售商問嗎嘗嚴四回"
    "因固圈國圍土地圾坏垂垃城域埠基堆報場塊塔塞填境增壓"
    "壞士夏夜夠天太夾套女她好始姓姚媒孫學它安宋完客家容"
    "實審寸封射專尋導少尚就尺尼尾展層屬山嵌川左差己巴市"
    "布希師帳帶常幕平年并幾床底店康廖廢延异引張強彈形彩"
    "彭待很律徐徑復微德心必志快忽思息您情惠想意感憑憶我"
    "截戰戳戴戶手才打扣批技把折拉拒拖括持据捲捷掃授排掛"
    "採接控描插損搜摘撤播擁擇擊操據擬擴收改放政敏敘教整"
    "斜斯斷施族旗既日早昇星映春昨普景暫曜曲書曹曾替月望"
    "朝期木末朱机李杜束東板析林架柏某查柯校核根框桌桶梁"
    "條棄楊業構樣樹橫檢欄權次款歐歡止步死殊毀母每比毫氏"
    "民气氣水永求江決沈河治況波注洛洪活流海消涉深添清減"
    "測游湊湖湯源準溢溫滑滿漏演漢潘濾瀏灣火烏焦然照爍爭"
    "父爾片牌牙物特獎獨獲率王班現瑞環產田由男界留略番畫"
    "異疊疑登白盒盡監盤盧直相省看真眼知短石硬确碟確磁礙"
    "社神私秋种科秒稅種稽稿積突站章筆等策算管箭箱節範篩"
    "簡米精系紀約紋納紙級素索細終絕絡給統經維網綴緒緣緩"
    "縮總績繁繪繼續缺网罩署羅美群義翁翻老考而耳聚聞聯聲"
    "職聽背胡脈脫腦臉臨致臺與舉舊般良花若英范莊萄萬落葉"
    "著葡董蓋蔡蔣蕭薛薪藍藏蘇蘭處虛螢螺術街衝補裝裡製複"
    "西覆見規覽觀角觸言訂計許註詞詢試話詳詹誌認說調論謝"
    "識譯議護讓象負貨責買貼賴購走起超趙足距跟路跳蹤身車"
    "軌軍軟較載輔輪輯轉辨迎近返迫述迴追退送透逗通速造週"
    "進逾遇運道達遞遠適遭遮遲遺還那邱郭郵都鄧鄭釋里量鈴"
    "銀銷鍾鎖鏈鐘門閃閉閱阮阿附限院陰陳陽隊階隔際障隨隱"
    "集雙雜離難雨雪零電霜非靠音響頁頂順須領頻題額顏食飲"
    "飾餘首馬馮驗高魏麥麼黃默鼠齊齡";

static const char  art_frequent_japanese_often[] =
    "一上下不中了付以位作使保信値像先入全内再処出分切列"
    "初制削前力加効動化参取受可号合同名向含告問囲在型報"
    "場変外大失始子字存定実対小式引張当形後得必性情成所"
    "択持指接換敗数文新方明時暗更書最有期検正求演無照現"
    "理生用画番発的目示空算範約索終続置署義者能致行表複"
    "要見視解設証認語読識警込追選部配鍵長開間関限除際集";

static const char  art_frequent_japanese_known[] =
    "万三与且世両两並个串主之也予争事二于云互五些交京人"
    "什今从他代令仮件价任伊休会似但低住佐体何余你來例供"
    "依価便係修個倍們候做停側備傳優儲儿元光克兒兩公共其"
    "冊册冬决几函划刘別利刪到刷刻副割劃功務勤北区區十半"
    "南単印即却原去參又及友反口古句只右司各吉后否听启吴"
    "周呼命和品响員商單器四回因固国國圖土圧地址坏垂城域"
    "基境増壊壞声売夏多夜天太夾女她好如姓学學它安完客宣"
    "家容密實専将將對導少就展属層山川工左己已市師帰帶常"
    "幅平年并幾床序店府度座庫延建异強影役径待很從御復心"
    "志応思息想意感態應我或戰戻手才打扱承把押担拉拒拡挿"
    "据探描提損擇操據支改放政教整數料断斯於族无既日旧早"
    "春昨是昼景暇曜替會月服望朝木未末本机李村束条来東析"
    "林果査校格案條棄業構様標樣権橋機檢權次歡止此死残段"
    "母比氏民气気氣水江決沒没河治法注活浮海消添清済渡測"
    "湖準漢灣火点為然爭父爾片版物特状王環田由男町界略異"
    "當疑登發白監直相省看県真眼着矢知短破硬确碟確碼社神"
    "私秋科秒秘称移程種積突立站章端競笔符第筆等答管築簡"
    "系納素細組経結給統絶經継網線編縮總績繁网美翻老考而"
    "耳聞聲職聽背臉自至臺與色花英落藤處號螺術街被装補裡"
    "製西規覧親觀言訂計訊記許訳註詢試詰話詳誤説調請論議"
    "護讀變讓象負買資賞購走起超足路身車軍軟較載輯輸辞辺"
    "达迎运返述送這通造連進遅運過道達違適還那郭郵都釈釋"
    "里重量金鈴銀錯録門閉關阪院隊隔隠離難雨雪零電需霜非"
    "面音響頁項順領頭頻題額類顧顯食飲首馬駅體高麼黄默點"
    "齢";

static const char  art_frequent_korean_often[] =
    "가간값개거경계고과구그기나내너는니다단당대데도동되"
    "된드들디라러럼레력령로록료류를름리마만메면명모목못"
    "무문미바버번베변보복부블비사상서설성세션소수스습시"
    "식실아안않야어업없에여연열오옵요용우원위유으은을음"
    "의이인일읽임입있자작잘장적전정제조주중지체추치칼코"
    "크키타태터테트파패포표프필하한할함합해행현형호화환";

static const char  art_frequent_korean_known[] =
    "각갈감갑강같객갱건검것게격견결골공관괄교국권귀규근"
    "글금급긴길김깁깅까께꼴꾸꿀꿈끊끌끝날남납났낼냅널넘"
    "넣네넷노논높놓누눌뉴늘능닉닌님닙닫달담답더덤덮덱덴"
    "델독돌될됨됩두뒤듈든듭등딩따때떤떼또뜀락란랍랑래랜"
    "램랫량럭런럽렉려련렬론롤롬롯루룰룹률륨르른릅릭린릴"
    "림립릿링막많말맞매맥맨맵머먼멀멤며몇묶물밀밍및밑박"
    "반받발방배백범법벗벤벨별병본볼봉북분불붙뷰브빈빌빠"
    "삭산살새색생석선섬섹셀셋셸속손송쇄순술숨숫슈슬승신"
    "심십싱썬쓰쓸알암압았앞애액약양언얼었엔역영예옛올옴"
    "와완외왼운울움워월웨윈윤율응잠잡재잭저절점접젝젯져"
    "졌족존종좌준줄줌증직진질집짜짧째쪽차참창찾채책처천"
    "청쳐초최축출춤충취칙칠침카캐캘커컨컬컴케켓콘콜콤쿼"
    "퀀큰클큽킨킷탈탐택탬탭턴텍템토톡통투튜특틀티틴판팝"
    "팩퍼페편폭폴폼품플피픽핀핑학항핸했향허헤혹홈확활회"
    "획효후휴히힌";


#define art_frequent_lists(name)                                              \
    { art_frequent_ ## name ## _often,                                        \
      sizeof(art_frequent_ ## name ## _often) - 1,                            \
      art_frequent_ ## name ## _known,                                        \
      sizeof(art_frequent_ ## name ## _known) - 1 }

static const art_frequent_row_t  art_frequent_rows[ART_FREQUENT_LANGUAGES] = {
    art_frequent_lists(simplified),
    art_frequent_lists(traditional),
    art_frequent_lists(japanese),
    art_frequent_lists(korean)
};


unsigned
art_charset_frequent(art_frequent_t language, const uint8_t *utf8)
{
    uint32_t                   code;
    const art_frequent_row_t  *row;

    code = art_frequent_code(utf8);
    row = &art_frequent_rows[language];

    if (code >= 0x3000 && code < 0x3040) {
        return ART_FREQUENT_KNOWN;       /* punctuation */
    }

    if (code >= 0x3040 && code < 0x3100) {
        return language == ART_FREQUENT_JAPANESE ? ART_FREQUENT_OFTEN : 0;
    }

    if ((code >= 0xff00 && code < 0xff60) || (code >= 0x2010 && code < 0x2040))
    {
        return ART_FREQUENT_KNOWN;
    }

    if (art_frequent_has(row->often, row->noften, code)) {
        return ART_FREQUENT_OFTEN;
    }

    return art_frequent_has(row->known, row->nknown, code) ? ART_FREQUENT_KNOWN
                                                           : 0;
}


static unsigned
art_frequent_has(const char *list, size_t len, uint32_t code)
{
    size_t          from, to, middle;
    const uint8_t  *rows;

    rows = (const uint8_t *) list;
    from = 0;
    to = len / ART_FREQUENT_BYTES;

    while (to - from > 1) {
        middle = (from + to) / 2;

        if (art_frequent_code(rows + middle * ART_FREQUENT_BYTES) <= code) {
            from = middle;

        } else {
            to = middle;
        }
    }

    return art_frequent_code(rows + from * ART_FREQUENT_BYTES) == code;
}


static uint32_t
art_frequent_code(const uint8_t *utf8)
{
    return (utf8[0] & 0x0fu) << 12 | (utf8[1] & 0x3fu) << 6
           | (utf8[2] & 0x3fu);
}
