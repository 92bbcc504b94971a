"""Words of any script: substrings where there are no spaces, and one form for accents, case and width."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from longmind import Memory
from tests.vectors.opening import open_memory

SENTENCES = {
    "Chinese": ("今天天气很好我们去公园散步", "他在北京大学学习计算机科学", "这家餐厅的饺子非常好吃"),
    "Japanese": ("昨日は友達と映画を見ました", "人々が東京タワーに集まった", "コーヒーを飲みながら本を読む"),
    "Thai": ("สวัสดีครับวันนี้อากาศดีมาก", "ฉันชอบกินข้าวผัดกุ้งที่ตลาด", "เขาทำงานที่โรงพยาบาลใหญ่"),
    "Korean": ("어제친구와영화를봤습니다", "서울에서커피를마셨어요", "도서관에서책을읽었다"),
    "Khmer": ("ខ្ញុំចូលចិត្តញ៉ាំបាយ", "គាត់ធ្វើការនៅមន្ទីរពេទ្យ", "ថ្ងៃនេះអាកាសធាតុល្អ"),
    "Burmese": ("ကျွန်တော်ထမင်းစားချင်တယ်", "သူဆေးရုံမှာအလုပ်လုပ်တယ်", "ဒီနေ့ရာသီဥတုကောင်းတယ်"),
    "Lao": ("ຂ້ອຍມັກກິນເຂົ້າຜັດ", "ລາວເຮັດວຽກຢູ່ໂຮງໝໍ", "ມື້ນີ້ອາກາດດີຫຼາຍ"),
}


@pytest.fixture
def memory(location: str) -> Iterable[Memory]:
    with open_memory(location, embedder=None) as opened:
        yield opened


def texts(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.frame.text for hit in memory.search(query, lanes=["text"], **options)]  # type: ignore[arg-type]


def test_a_sentence_without_spaces_is_found_by_any_two_of_its_characters(memory: Memory) -> None:
    everything = [sentence for sentences in SENTENCES.values() for sentence in sentences]
    memory.remember_many(everything)
    memory.remember("an English sentence beside them")
    for language in ("Chinese", "Japanese", "Thai", "Korean"):
        for sentence in SENTENCES[language]:
            for place in range(len(sentence) - 1):
                pair = sentence[place : place + 2]
                found = texts(memory, pair, limit=50)
                assert sentence in found, (language, pair)
                assert set(found) == {other for other in everything if pair in other}, (language, pair)


def test_scripts_with_many_marks_are_found_by_three_characters(memory: Memory) -> None:
    everything = [sentence for sentences in SENTENCES.values() for sentence in sentences]
    memory.remember_many(everything)
    for language in ("Khmer", "Burmese", "Lao"):
        for sentence in SENTENCES[language]:
            for place in range(0, len(sentence) - 2, 3):
                assert sentence in texts(memory, sentence[place : place + 3]), (language, place)


def test_a_sentence_without_spaces_beside_words_with_them(memory: Memory) -> None:
    memory.remember("我的iPhone14坏了，明天去修")
    memory.remember("東京 2024年の夏")
    assert texts(memory, "iphone14") == ["我的iPhone14坏了，明天去修"]
    assert texts(memory, "坏了") == ["我的iPhone14坏了，明天去修"]
    assert texts(memory, "2024") == ["東京 2024年の夏"]
    assert texts(memory, "年の") == ["東京 2024年の夏"]


def test_words_with_marks_stay_whole(memory: Memory) -> None:
    memory.remember("मुझे हिन्दी भाषा पसंद है")
    memory.remember("हम दिन में नदी पर थे")
    assert texts(memory, "हिन्दी") == ["मुझे हिन्दी भाषा पसंद है"]
    memory.remember("كَتَبَ الولد رسالة")
    assert texts(memory, "كَتَبَ") == ["كَتَبَ الولد رسالة"]


def test_case_accents_width_and_ligatures_make_no_difference(memory: Memory) -> None:
    pairs = {
        "Crème Brûlée in ÅRHUS": ("creme brulee", "CRÈME", "crème", "århus", "Arhus", "A\u030arhus"),
        "Straße und Fluß": ("strasse", "STRASSE", "straße", "fluss"),
        "ＦＵＬＬ ｗｉｄｔｈ": ("full", "width", "ＷＩＤＴＨ"),
        "the ﬁnal oﬃce": ("final", "office"),
        "Ελλάδα και Σίσυφος": ("ελλαδα", "ΕΛΛΆΔΑ", "σισυφοσ", "ΣΊΣΥΦΟΣ"),
        "Ёжик в тумане": ("ежик", "ЁЖИК", "ёжик"),
        "ﾎﾃﾙ予約": ("ホテル", "予約"),
    }
    memory.remember_many(list(pairs))
    for text, questions in pairs.items():
        for question in questions:
            assert texts(memory, question)[:1] == [text], question


def test_marks_are_kept_where_they_make_another_letter(memory: Memory) -> None:
    memory.remember("がっこうへ行く")
    memory.remember("かっこいい人")
    assert texts(memory, "がっ") == ["がっこうへ行く"]
    assert texts(memory, "か\u3099っ") == ["がっこうへ行く"]


def test_inflected_words_find_each_other(memory: Memory) -> None:
    memory.remember("She was running and the ponies jumped")
    for question in ("run", "runs", "pony", "jumping"):
        assert texts(memory, question) == ["She was running and the ponies jumped"], question


def test_emoji_and_right_to_left_text_are_harmless(memory: Memory) -> None:
    memory.remember("שלום עולם 🙂")
    memory.remember("مرحبا بالعالم ❤️")
    assert texts(memory, "שלום") == ["שלום עולם 🙂"]
    assert texts(memory, "🙂 עולם") == ["שלום עולם 🙂"]
    assert texts(memory, "‮مرحبا") == ["مرحبا بالعالم ❤️"]
    assert texts(memory, "❤️") == []


STEMMED = {
    "spanish": ("Las canciones de la banda son para los niños.", "canción"),
    "german": ("Die Häuser in der Stadt sind alt und nicht sehr groß.", "haus"),
    "russian": ("Он читает интересные книги о городах.", "книга город"),
    "french": ("Les chevaux sont dans le pré avec le fermier.", "cheval"),
    "italian": ("Le ragazze sono andate al mare con gli amici della scuola.", "ragazza"),
    "hindi": ("लड़कियों को किताबें पसंद हैं।", "लड़की किताब"),
}


@pytest.mark.parametrize("language", STEMMED)
def test_a_word_is_found_in_another_form_of_its_language(language: str, location: str) -> None:
    text, asked = STEMMED[language]
    with Memory.open(location, embedder=None) as memory:
        memory.remember_many([text, "An English note about something else.", "Milk and bread, please."])
        hits = memory.search(asked)
        assert [hit.frame.text for hit in hits][:1] == [text]
        report = next(lane for lane in hits.lanes if lane.name == "text")
        assert report.found == 1, report.detail


def test_the_language_of_one_space_does_not_show_in_another(location: str) -> None:
    with Memory.open(location, embedder=None) as memory:
        memory.remember("Las canciones de la banda son para los niños.", space="one")
        memory.remember("The cancellation fee is ten euros.", space="two")
        assert not memory.search("canción", space="two", mode="text")
