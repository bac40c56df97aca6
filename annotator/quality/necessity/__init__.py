"""Whether models need each part of the input: answers with the whole input against answers without a part."""
