package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Changes of one name, at its owner, that arrive once more after those of others. */
class NameChangeProcessorTest {
    private final NamesMajority majority = new NamesMajority("relay", "127.0.0.1:1", List.of());

    /** Of a plain map: Hazelcast's entries could expire, and a merge would give that to records that stay. */
    private final Map.Entry<String, String> entry = new AbstractMap.SimpleEntry<>("key", null);

    NameChangeProcessorTest() {
        majority.follow(NamesMajorityTest.group(new NamesMajority.Roll(Set.of(), Set.of()), "a"));
    }

    private NameChangeProcessor change(NameChangeProcessor.Kind kind, long expected, String value) {
        StoredName wanted = StoredName.of(NameRecord.of(Map.of("v", value)), 1, 0, value);
        return new NameChangeProcessor(majority, kind, expected, wanted);
    }

    private NameChangeProcessor rebind(String value) {
        return change(NameChangeProcessor.Kind.REBIND, 0, value);
    }

    private NameChangeProcessor unbind(String id) {
        return change(NameChangeProcessor.Kind.UNBIND, NameService.ANY_VERSION, id);
    }

    private void bound(String value) {
        assertThat(change(NameChangeProcessor.Kind.BIND, 0, value).process(entry)).startsWith("=");
    }

    private Optional<String> value() {
        return Optional.of(StoredName.parse(entry.getValue())).filter(StoredName::bound).map(stored -> stored.fields().get("v"));
    }

    @Test
    void aRepetitionDoesNotReplaceTheLaterRecordOfAnother() {
        bound("first");
        NameChangeProcessor a = rebind("a");
        String answer = a.process(entry);
        assertThat(rebind("b").process(entry)).startsWith("=");
        NameChangeProcessor again = a.repetition();
        String now = again.process(entry);
        assertThat(value()).contains("b");
        assertThat(StoredName.parse(entry.getValue()).version()).isEqualTo(3);
        assertThat(now).isEqualTo(NameChangeProcessor.SUPERSEDED + entry.getValue());
        assertThat(HazelcastNames.isDoneBefore(answer, now)).isTrue();
        assertThat(again.getBackupProcessor()).as("copies store what is there").isNotNull();
    }

    @Test
    void aRepetitionDoesNotUnbindWhatAnotherHasBoundSince() {
        bound("first");
        NameChangeProcessor a = unbind("a");
        a.process(entry);
        bound("b");
        a.repetition().process(entry);
        assertThat(value()).contains("b");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.INCLUDE, names = {"BIND", "SWAP"})
    void aRepetitionDoesNotBindWhatAnotherHasUnboundSince(NameChangeProcessor.Kind kind) {
        NameChangeProcessor a = change(kind, 0, "a");
        a.process(entry);
        unbind("b").process(entry);
        assertThat(a.repetition().process(entry)).startsWith("?");
        assertThat(value()).isEmpty();
    }

    @Test
    void aRepetitionIsAppliedWhereTheChangeWasNeverSeen() {
        NameChangeProcessor bind = change(NameChangeProcessor.Kind.BIND, 0, "a").repetition();
        assertThat(bind.process(entry)).startsWith("=");
        assertThat(change(NameChangeProcessor.Kind.SWAP, 1, "b").repetition().process(entry)).startsWith("=");
        assertThat(value()).contains("b");
        assertThat(change(NameChangeProcessor.Kind.UNBIND, 2, "c").repetition().process(entry)).startsWith("=");
        assertThat(value()).isEmpty();
    }

    /** The owner has died before it did it, and the name is another's since long ago: that is known, and no failure. */
    @Test
    void aRepetitionThatFindsTheFirstRecordOfANameIsAnsweredAsTheChange() {
        bound("other");
        assertThat(change(NameChangeProcessor.Kind.BIND, 0, "a").repetition().process(entry)).isEqualTo(NameChangeProcessor.OTHER + entry.getValue());
        assertThat(rebind("a").repetition().process(entry)).startsWith("=");
        assertThat(rebind("b").repetition().process(entry)).as("of version 2").startsWith("?");
    }

    @Test
    void aRepetitionOfTheLastChangeIsDoneOnce() {
        bound("first");
        NameChangeProcessor a = rebind("a");
        String answer = a.process(entry);
        assertThat(a.repetition().process(entry)).isEqualTo(answer);
    }

    /** A part without a majority has done the change, and another owner, which never had it, answers. */
    @Test
    void aChangeIsNotConfirmedByAnotherMemberListOrAnEarlierVersion() {
        StoredName done = StoredName.of(NameRecord.of(Map.of()), 3, 7, "a");
        String answer = NameChangeProcessor.DONE + done.text();
        StoredName laterList = StoredName.of(NameRecord.of(Map.of()), 9, 8, "b");
        assertThat(HazelcastNames.isDoneBefore(answer, NameChangeProcessor.SUPERSEDED + laterList.text())).isFalse();
        assertThat(HazelcastNames.isDoneBefore(answer, NameChangeProcessor.SUPERSEDED + done.at(2).text())).isFalse();
        assertThat(HazelcastNames.isDoneBefore(answer, String.valueOf(NameChangeProcessor.SUPERSEDED))).isFalse();
        assertThat(HazelcastNames.isDoneBefore(answer, NameChangeProcessor.SUPERSEDED + done.at(4).text())).isTrue();
        assertThat(HazelcastNames.isDoneBefore(String.valueOf(NameChangeProcessor.DONE), NameChangeProcessor.SUPERSEDED + laterList.text())).isTrue();
    }
}
