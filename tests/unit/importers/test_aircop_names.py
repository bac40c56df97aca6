from __future__ import annotations

import pytest

from annotator.importers.aircop_names import read_image_name, view_name, with_copy_number

COPY = "2-00000001-UAV2 copy 2.jpg"
SIM3 = "Sim_3_UAVs"
STAMP = "1623936157944367872"


@pytest.mark.parametrize(
    ("text", "name", "dataset", "scene", "view"),
    [
        ("23-00000001-UAV1.jpg", "23-00000001-UAV1.jpg", "Real_2_UAVs", "23-00000001", "UAV1"),
        ("23-00000001-UAV2-loss.jpg", "23-00000001-UAV2-loss.jpg", "Real_2_UAVs", "23-00000001-loss", "UAV2"),
        (COPY, COPY, "Real_2_UAVs", "2-00000001 copy 2", "UAV2"),
        (
            "/data/upload/9/8f2a9605-scene_004-UAV1_frame_005.jpg",
            "scene_004-UAV1_frame_005.jpg",
            "Sim_3_UAVs",
            "scene_004 frame_005",
            "UAV1",
        ),
        (
            "/data/upload/1/3c5ed8a3-c0003-2023-01-01-10-45-200800_UAV_6_32456948.jpg",
            "c0003-2023-01-01-10-45-200800_UAV_6_32456948.jpg",
            "Sim_6_UAVs",
            "c0003-2023-01-01-10-45-200800_32456948",
            "UAV6",
        ),
        (
            "/data/upload/3/5064a99b-1623936157944367872.png",
            "1623936157944367872.png",
            "Sim_5_UAVs",
            "1623936157944367872",
            "",
        ),
        ("1623936157944367872_2.png", "1623936157944367872_2.png", "Sim_5_UAVs", "1623936157944367872_2", ""),
        ("8f2a9605-scene_1-UAV3_frame_2.j", "scene_1-UAV3_frame_2.j", SIM3, "scene_1 frame_2", "UAV3"),
        ("00000001-UAV1.jpg", "00000001-UAV1.jpg", "", "00000001", "UAV1"),
        (
            "Samples/images/scene_001/UAV2/UAV2_frame_003.png",
            "scene_001-UAV2_frame_003.png",
            "Sim_3_UAVs",
            "scene_001 frame_003",
            "UAV2",
        ),
        (f"Samples/UAV4/{STAMP}.png", f"{STAMP}-UAV4.png", "Sim_5_UAVs", STAMP, "UAV4"),
        ("/data/local-files/?d=23-1-UAV1.jpg", "23-1-UAV1.jpg", "", "23-1", "UAV1"),
        ("23-00000001-uav2.JPG", "23-00000001-uav2.JPG", "Real_2_UAVs", "23-00000001", "UAV2"),
        ("holiday.jpg", "holiday.jpg", "", "holiday", ""),
        ("UAV1.jpg", "UAV1.jpg", "", "UAV1", "UAV1"),
    ],
)  # fmt: skip
def test_image_name_when_of_a_known_shape_then_dataset_scene_and_view(
    text: str, name: str, dataset: str, scene: str, view: str
) -> None:
    image = read_image_name(text)
    assert (image.name, image.dataset, image.scene, image.view) == (name, dataset, scene, view)


def test_path_when_relative_then_kept_and_when_absolute_then_only_the_name() -> None:
    assert read_image_name("Real_2_UAVs/UAV1/a.jpg").path == "Real_2_UAVs/UAV1/a.jpg"
    image = read_image_name("/data/upload/9/8f2a9605-scene_004-UAV1_frame_005.jpg")
    assert image.path == "scene_004-UAV1_frame_005.jpg"
    assert image.changes == (
        "an absolute path is not below the media root",
        "the upload prefix is removed from the name",
    )
    assert read_image_name("23-00000001-UAV1.jpg").changes == ()


def test_percent_encoded_name_when_read_then_spelt_out_and_told() -> None:
    image = read_image_name("/data/upload/3/c46099da-1628241066508816128%E5%8E%9F%E5%9B%BE.png")
    assert image.name == "1628241066508816128原图.png"
    assert image.dataset == "Sim_5_UAVs"
    assert image.is_percent_encoded


@pytest.mark.parametrize("text", ["a%2Fb.jpg", "a%2e%2e%5Cb.jpg", "a%00b.jpg", "a%FFb.jpg", "100%.jpg"])
def test_percent_signs_when_they_would_make_another_path_then_left_alone(text: str) -> None:
    image = read_image_name(text)
    assert image.name == text
    assert not image.is_percent_encoded


def test_view_name_when_digits_are_odd_then_one_spelling() -> None:
    assert [view_name("1"), view_name("01"), view_name("１"), view_name("9" * 5000)[:5]] == [
        "UAV1",
        "UAV1",
        "UAV1",
        "UAV99",
    ]


def test_copy_number_when_added_then_before_the_ending() -> None:
    assert with_copy_number("a.b.jpg", 2) == "a.b copy 2.jpg"
    assert with_copy_number("a", 3) == "a copy 3"


def test_image_name_when_views_share_a_file_name_then_their_folders_tell_them_apart() -> None:
    one, two = (read_image_name(f"All_samples/{view}/{STAMP}.png") for view in ("UAV1", "UAV2"))
    assert (one.view, two.view) == ("UAV1", "UAV2")
    assert one.name != two.name
    assert one.scene == two.scene
    assert one.path == f"All_samples/UAV1/{STAMP}.png"
