package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NameTableTest {
    private static final NameRecord EMPTY = NameRecord.of(Map.of());

    private final List<NameChange> changes = new ArrayList<>();
    private final NameTable table = new NameTable(changes::add, 3, 100);

    private static Name name(String name) {
        return Name.parse(name);
    }

    @Test
    void unboundNamesMakeRoomAndBoundOnesDoNot() {
        List.of("a", "b", "c").forEach(each -> table.bind(name(each), EMPTY));
        assertThatThrownBy(() -> table.bind(name("d"), EMPTY)).isInstanceOf(NameException.class).hasMessage(
                "3 names are bound, of 3 bytes; there is room for 3 names and 100 bytes: unbind some");
        table.unbind(name("b"), NameService.ANY_VERSION);
        table.bind(name("d"), EMPTY);
        assertThat(table.entries()).extracting(entry -> entry.bound().name().toString()).containsExactly("a", "c", "d");
    }

    @Test
    void aNameThatWasForgottenDoesNotRepeatAVersion() {
        table.bind(name("a"), EMPTY);
        table.rebind(name("a"), EMPTY);
        table.unbind(name("a"), 2);
        List.of("b", "c", "d").forEach(each -> table.bind(name(each), EMPTY));
        assertThat(table.lookup(name("d")).orElseThrow().version()).isEqualTo(3);
        table.unbind(name("b"), NameService.ANY_VERSION);
        assertThat(table.bind(name("a"), EMPTY).version()).isEqualTo(3);
    }

    @Test
    void aRestoredTableGoesOnWhereTheOtherWas() {
        table.bind(name("a"), EMPTY);
        table.bind(name("b"), EMPTY);
        table.unbind(name("b"), NameService.ANY_VERSION);
        NameTable restored = new NameTable(changes::add, 3, 100);
        changes.clear();
        restored.restore(table.entries(), table.forgottenVersion());
        assertThat(changes).isEmpty();
        assertThat(restored.list(name("a"), 9, Optional.empty())).hasSize(1);
        assertThat(restored.bind(name("b"), EMPTY).version()).isEqualTo(2);
    }

    @Test
    void aRefusedCallChangesNothing() {
        table.bind(name("a"), NameRecord.of(Map.of(), 5));
        changes.clear();
        assertThatThrownBy(() -> table.swap(name("a"), 1, EMPTY)).hasMessageContaining("epoch 0 is over");
        assertThatThrownBy(() -> table.unbind(name("a"), 7)).hasMessageContaining("at version 1, expected 7");
        assertThat(changes).isEmpty();
        assertThat(table.lookup(name("a")).orElseThrow().version()).isEqualTo(1);
    }

    @Test
    void bytesAreBoundedToo() {
        NameRecord half = NameRecord.of(Map.of("v", "x".repeat(48)));
        table.bind(name("a"), half);
        table.bind(name("b"), half);
        assertThatThrownBy(() -> table.bind(name("c"), EMPTY)).isInstanceOf(NameException.class).hasMessageStartingWith("2 names are bound, of 100 bytes");
        assertThatThrownBy(() -> table.rebind(name("a"), NameRecord.of(Map.of("v", "x".repeat(49))))).hasMessageStartingWith("2 names are bound");
        table.rebind(name("a"), half);
        table.unbind(name("b"), NameService.ANY_VERSION);
        table.bind(name("c"), half);
        assertThat(table.entries()).as("of the one that was unbound nothing is left").hasSize(2);
        table.rebind(name("c"), EMPTY);
        table.bind(name("b"), NameRecord.of(Map.of("v", "x".repeat(47))));
        NameTable restored = new NameTable(changes::add, 3, 100);
        restored.restore(table.entries(), table.forgottenVersion());
        assertThatThrownBy(() -> restored.rebind(name("c"), NameRecord.of(Map.of("v", "1")))).hasMessageContaining("of 100 bytes");
    }

    @Test
    void aNameThatIsBoundAgainIsNotForgottenForItself() {
        table.bind(name("a"), EMPTY);
        table.unbind(name("a"), NameService.ANY_VERSION);
        NameRecord most = NameRecord.of(Map.of("v", "x".repeat(98)));
        assertThat(table.bind(name("a"), most).version()).isEqualTo(2);
        assertThatThrownBy(() -> table.rebind(name("a"), NameRecord.of(Map.of("v", "x".repeat(99))))).hasMessageContaining("of 100 bytes");
    }
}
