"""2,500 generated programs: the engine's gradients against the oracle's at 1e-12.

TANGENT_PROGRAMS changes the number. Each test takes a hundred of them in a process of its own
(fuzz.outcomes); the one that finishes last judges the whole: enough of every construct, and few
refusals."""
# ruff: noqa: SIM905

import collections
import itertools
import os
import pickle

import fuzz
import hypothesis
import programs
import pytest

COUNT = int(os.environ.get('TANGENT_PROGRAMS', '2500'))
CHUNK = 100
CHUNKS = [range(first, min(first + CHUNK, COUNT)) for first in range(0, COUNT, CHUNK)]
FAILED_AT_MOST = 0
REFUSED_AT_MOST = 0.15
# Programs that contain each construct; of fewer than 2,000 the same share.
EACH_AT_LEAST = 50 * min(1.0, COUNT / 2000) / COUNT

CONSTRUCTS = frozenset(
    """
        if elif else if_defines ternary array_ternary and_or_value chained_comparison test_and
    test_or test_not test_flag     for_range range_constant range_length range_shape range_argument
    range_counter range_step range_down range_from     range_empty range_global range_reversed
    zero_trips for_elements for_rows iterate_slice enumerate zip zip_range     while while_true
    while_counting while_shrinking while_compound_test break continue loop_else nested_loop
    nested_loop_3 double_loop neighbours return_early return_in_loop return_in_nested_loop
    return_tuple return_array     assign_tuple unpack_nested unpack_array unpack_call assign_chain
    swap simultaneous_update reassigned recurrence     augmented_+= augmented_-= augmented_*=
    augmented_/= augmented_**= accumulate accumulate_augmented     scalar_becomes_array element
    index_constant index_negative index_counter index_shifted index_mirrored index_modulo
    index_2d index_of_index index_by_int_array read_slice read_row read_column read_block
    read_by_list read_by_array     slice_part slice_step slice_reversed slice_whole call
    call_keyword call_default call_in_helper call_with_array     assert raise raises print f_string
    walrus comparison_as_number int_in_arithmetic int_by_int int_by_argmax int_by_len
    int_by_size power power_variable_exponent power_constant_base division array_division
    array_power unary_minus abs max     min np.where np.clip np.maximum np.minimum np.hypot
    math.hypot math.atan2 np.arctan2 np.logaddexp np.power math.pow     broadcast_scalar
    broadcast_vector broadcast_column np.sum np.mean np.max np.min np.prod np.std np.var method.sum
    method.mean method.max method.min method.std method.var axis_sum axis_mean axis_max axis_min
    keepdims inner_@     inner_dot product_@ product_dot product_matmul np.outer concatenate stack
    array_of_numbers reshape transpose     np.cumsum np.diff np.sort np.copy linalg.solve linalg.inv
    constant.ones constant.zeros constant.full constant.eye     constant.linspace constant.arange
    constant.array constant.TABLE global argument_vector argument_matrix argument_int
    argument_int_array argument_default int_for_float int_array_in_arithmetic wrt_one
        store_element store_element_2d store_slice store_row store_column store_whole
    store_augmented_array store_mask store_mask_named store_mask_of_same store_index_array
    store_index_repeated store_int_array store_truncated store_= store_+= store_-= store_*=
    store_/= store_**= store_swap store_two store_chain store_chain_name store_recurrence
    store_reads_slice store_in_loop store_in_nested_loop store_argument stores_in_helper
    buffer_filled buffer_double_loop sweep iterate_written copied stencil_element stencil_slices
    stencil_swap stencil_copy stencil_whole stencil_part view_alias view_slice view_row
    view_transpose view_ravel view_reshape view_write_view view_write_base view_both call_writes
    call_writes_whole call_writes_slice call_writes_twice call_for_effect local_dict local_list
    local_tuple argument_dict argument_nested argument_list argument_tuple argument_object
    list_of_numbers list_of_arrays list_recurrence list_items list_index list_reversed list_store
    list_store_augmented list_append list_stack list_comprehension list_item
    map_filled map_walked rows_written pairs_in_list records_in_list
    lists_in_dict rows_grown arrays_in_list items_taken_out reshaped_view
    rebound_to_view object_made object_in_loop object_method object_alias object_inherits
    object_property object_attribute_set object_holds_array method_twice record_rebound
    record_frozen
    recursion_counter recursion_slices closure_nonlocal nonlocal_in_loop nonlocal_twice
    argument_with_methods argument_called
    """.split()
    + [f'np.{name}' for name in programs.NUMPY_FUNCTIONS]
    + [f'math.{name}' for name in programs.MATH_FUNCTIONS]
)

# The kinds of construct of which every two meet often enough in one program.
KINDS = {
    'write': 'store_ buffer_ sweep stencil_ call_writes view_write_ view_both iterate_written',
    'view': 'view_slice view_row view_transpose view_ravel view_reshape view_both rebound_to_view',
    'alias': 'view_alias object_alias store_chain_name rebound_to_view',
    'call': 'call object_method method_twice recursion_ closure_nonlocal nonlocal_',
    'loop': 'for_ while zip enumerate nested_loop double_loop',
    'exit': 'break continue loop_else return_early return_in_ raises',
    'list': 'list_ local_list argument_list',
}
# Programs that have both and are differentiated.
PAIR_AT_LEAST = 30 * min(1.0, COUNT / 2000) / COUNT


@pytest.fixture(scope='session')
def shared(tmp_path_factory):
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get('PYTEST_XDIST_WORKER') else base) / 'generated'
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize('labels', CHUNKS, ids=lambda labels: f'{labels.start}-{labels.stop - 1}')
def test_gradients_of_generated_programs(labels, shared, tmp_path):
    found = list(fuzz.outcomes(labels, str(tmp_path)))
    part = shared / f'part_{labels.start}'
    part.with_suffix('.new').write_bytes(
        pickle.dumps([(one.kind, one.what, one.census) for one in found])
    )
    part.with_suffix('.new').rename(part)
    failed = [one for one in found if one.kind == 'failed']
    if len(failed) > FAILED_AT_MOST:
        lines = '\n'.join(f'{one.label}: {one.what}' for one in failed)
        pytest.fail(
            f'{len(failed)} of {len(found)} programs failed\n{lines}\n\n{failed[0].report}',
            pytrace=False,
        )
    refused = [one.what for one in found if one.kind == 'refused']
    assert len(refused) <= 2 * REFUSED_AT_MOST * len(found), most_common(refused)
    parts = sorted(shared.glob('part_*[0-9]'))
    if len(parts) == len(CHUNKS):
        judge([record for each in parts for record in pickle.loads(each.read_bytes())])


def most_common(refused):
    return '\n'.join(
        f'{count} {what}' for what, count in collections.Counter(refused).most_common(10)
    )


def judge(records):
    """The whole run: how much was refused, and whether each construct occurred often enough."""
    refused = [what for kind, what, _ in records if kind == 'refused']
    print(f'{len(records)} programs, {len(refused)} refused\n{most_common(refused)}')
    assert len(refused) <= REFUSED_AT_MOST * len(records), (
        f'{len(refused)} of {len(records)}\n{most_common(refused)}'
    )
    counts = collections.Counter(name for _, _, census in records for name in census)
    missing = {
        name: counts[name]
        for name in sorted(CONSTRUCTS)
        if counts[name] < int(EACH_AT_LEAST * len(records))
    }
    assert not missing, f'too rare: {missing}'
    # A refused program tests nothing: each construct must also occur among the differentiated.
    tested = collections.Counter(
        name for kind, _, census in records if kind == 'ok' for name in census
    )
    untested = [
        name
        for name in sorted(CONSTRUCTS)
        if tested[name] < int(0.5 * EACH_AT_LEAST * len(records))
    ]
    assert not untested, f'too often refused: {untested}'
    pairs = collections.Counter(
        pair
        for kind, _, census in records
        if kind == 'ok'
        for pair in itertools.combinations(kinds_of(census), 2)
    )
    print('  '.join(f'{one}+{other} {pairs[one, other]}' for one, other in sorted(pairs)))
    rare = {
        pair: pairs[pair]
        for pair in itertools.combinations(KINDS, 2)
        if pairs[pair] < int(PAIR_AT_LEAST * len(records))
    }
    assert not rare, f'too rarely together: {rare}'


def kinds_of(census):
    """Which of KINDS occur in a program, in their order."""
    starts = {kind: tuple(each.split()) for kind, each in KINDS.items()}
    return [kind for kind in KINDS if any(name.startswith(starts[kind]) for name in census)]


@hypothesis.given(program=programs.programs())
@hypothesis.settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_programs_that_shrink(program, tmp_path_factory):
    """The same check under hypothesis, which reduces a failure by drawing less."""
    outcome = fuzz.check(program, str(tmp_path_factory.getbasetemp()))
    assert outcome.kind != 'failed', outcome.report


def test_programs_are_reproducible():
    for label in (3, 14, 159):
        one, again = programs.program(label), programs.program(label)
        assert one.source == again.source
        assert fuzz.same_bits(tuple(one.argument_sets), tuple(again.argument_sets))
