package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.names.NameTable;

/** What judges write into their logs and to each other, and what they refuse. */
class NameBytesTest {
    private static final NameRecord RECORD = NameRecord.of(Map.of("a", "b", "ü", "漢\u0000"), 7);
    private static final Name NAME = Name.parse("vm/grid");

    private static byte[] bytes(NameCommand command) {
        ByteWriter out = new ByteWriter();
        command.write(out);
        return out.toBytes();
    }

    private static List<NameCommand> commands() {
        return List.of(NameCommand.bind(NAME, RECORD), NameCommand.rebind(NAME, RECORD), NameCommand.swap(NAME, 9, RECORD),
                NameCommand.unbind(NAME, NameService.ANY_VERSION));
    }

    @Test
    void commandsAreReadAsTheyWereWritten() throws Exception {
        for (NameCommand each : commands()) {
            assertThat(NameCommand.read(new ByteReader(bytes(each)))).isEqualTo(each);
        }
    }

    /** Logs and snapshots of an earlier version are read by these. */
    @Test
    void theBytesOfTheLogStayAsTheyAre() {
        assertThat(HexFormat.of().formatHex(bytes(NameCommand.swap(Name.parse("a/b"), 2, NameRecord.of(Map.of("k", "v"), 3))))).isEqualTo(
                "02" + "00000003612f62" + "0000000000000002" + "0000000000000003" + "01" + "000000016b" + "0000000176");
        assertThat(bytes(NameCommand.bind(NAME, RECORD))[0]).isEqualTo((byte) 0);
        assertThat(bytes(NameCommand.rebind(NAME, RECORD))[0]).isEqualTo((byte) 1);
        assertThat(HexFormat.of().formatHex(bytes(NameCommand.unbind(Name.parse("a"), -1)))).isEqualTo("03" + "0000000161" + "ffffffffffffffff");
    }

    @Test
    void everyCutCommandIsRefusedAndAnyOtherBytesDoNoHarm() {
        for (NameCommand each : commands()) {
            byte[] whole = bytes(each);
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> NameCommand.read(new ByteReader(cut))).as(length + " bytes").isInstanceOf(MalformedException.class);
            }
            assertThatThrownBy(() -> NameCommand.read(new ByteReader(Arrays.copyOf(whole, whole.length + 1))))
                    .hasMessage("1 bytes are left over, expected none");
        }
        Random random = new Random(1);
        for (int run = 0; run < 20_000; run++) {
            byte[] bytes = bytes(commands().get(random.nextInt(4)));
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                NameCommand.read(new ByteReader(bytes));
            } catch (MalformedException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "04                                     | 'command 4, expected 0 to 3'",
        "0300000000ffffffffffffffff             | 'a name is empty'",
        "03000000022f2fffffffffffffffff         | '\"//\" is no name: expected 1 to 8 parts, with slashes between, each of 1 to 64 of A-Z, a-z, 0-9, dot, underscore and hyphen'",
        "0300000001ffffffffffffffffff           | 'a name is not UTF-8'",
        "037fffffff61                           | 'bytes of a name are 2147483647, expected 0 to 1'",
        "030000000161fffffffffffffffe           | 'the expected version is -2, expected at least -1'",
        "0000000001610000000000000000ffffffffffffffff00 | 'an epoch is -1, expected at least 0'",
        "00000000016100000000000000000000000000000000020000000161000000000000000161 00000000 | 'field \"a\" comes twice'"})
    void whatIsMalformedIsSaid(String hex, String message) {
        assertThatThrownBy(() -> NameCommand.read(new ByteReader(HexFormat.of().parseHex(hex.replace(" ", ""))))).isInstanceOf(MalformedException.class)
                .hasMessage(
                        message);
    }

    @Test
    void refusalsCarryWhatIsThere() throws Exception {
        NameTable table = new NameTable(change -> {});
        assertThat(NameCommand.answer(NameCommand.bind(NAME, RECORD).applyTo(table))).isEqualTo(1);
        byte[] refusal = NameCommand.bind(NAME, NameRecord.of(Map.of())).applyTo(table);
        assertThatThrownBy(() -> NameCommand.answer(refusal)).isInstanceOfSatisfying(NameException.class, refused -> {
            assertThat(refused.kind()).isEqualTo(NameException.Kind.ALREADY_BOUND);
            assertThat(refused.found()).contains(new BoundName(NAME, RECORD, 1));
            assertThat(refused).hasMessage("vm/grid is bound already, at version 1");
        });
        assertThat(NameCommand.answer(NameCommand.unbind(NAME, 1).applyTo(table))).isEqualTo(1);
        assertThat(NameCommand.answer(NameCommand.unbind(NAME, NameService.ANY_VERSION).applyTo(table))).isEqualTo(0);
        byte[] conflict = NameCommand.swap(NAME, 3, RECORD).applyTo(table);
        assertThatThrownBy(() -> NameCommand.answer(conflict)).hasMessage("vm/grid is at version 0, expected 3");
        assertThatThrownBy(() -> NameCommand.answer(new byte[] {8})).isInstanceOf(MalformedException.class).hasMessage("answer 8, expected 0 to 7");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "00000008 000000000000000000 | a frame of 8 bytes, expected 9 to 4194313",
        "0040000a 000000000000000000 | a frame of 4194314 bytes, expected 9 to 4194313",
        "ffffffff 000000000000000000 | a frame of -1 bytes, expected 9 to 4194313",
        "00000009 080000000000000000 | a frame of type 8, expected 0 to 7"})
    void aFrameOfAWrongLengthOrTypeIsRefusedBeforeItIsRead(String hex, String message) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThatThrownBy(() -> Frame.read(new DataInputStream(new ByteArrayInputStream(bytes)), Frame.Question.values().length))
                .isInstanceOf(MalformedException.class).hasMessage(message);
    }

    @Test
    void aFrameThatIsTooLargeIsNotSent() {
        assertThatThrownBy(() -> new Frame(0, 1, new byte[Frame.CONTENT_BYTES_MAX + 1]).toBytes()).hasMessage(
                "a frame of 4194305 bytes, expected at most 4194304");
    }

    @Test
    void aSnapshotIsReadAsItWasWrittenAndNoDamagedOneIs(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("snapshot");
        List<NameChange> entries =
                List.of(new NameChange(new BoundName(Name.parse("a"), RECORD, 3), true), new NameChange(new BoundName(NAME, RECORD, 9), false));
        NameTable table = new NameTable(change -> {});
        table.restore(entries, 17);
        Snapshot.write(file, table);
        NameTable read = new NameTable(change -> {});
        Snapshot.read(file, read);
        assertThat(new ArrayList<>(read.entries())).isEqualTo(entries);
        assertThat(read.forgottenVersion()).isEqualTo(17);
        assertThat(read.list(Name.ROOT, 9, Optional.empty())).hasSize(1);
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x40;
            Files.write(file, damaged);
            assertThatThrownBy(() -> Snapshot.read(file, read)).as("byte " + at).isInstanceOf(MalformedException.class)
                    .hasMessageStartingWith("snapshot " + file);
            Files.write(file, Arrays.copyOf(whole, at));
            assertThatThrownBy(() -> Snapshot.read(file, read)).as("cut at " + at).isInstanceOf(MalformedException.class);
        }
        assertThat(read.entries()).as("of the last good one").hasSize(2);
    }
}
