package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExamplesTest {

    @Test
    void listsEveryExampleOnce() {
        assertThat(Examples.all())
                .extracting(Examples.Example::name)
                .containsExactly("pi", "ring", "nas-ep", "nas-is", "nas-cg", "kmeans", "heat", "waves", "life", "matmul", "stencil-shrink",
                        "stencil-rebuild", "farm-blank", "death-notice");
    }

    @Test
    void knowsNoOtherNames() {
        assertThat(Examples.mainClass("nas-ft")).isEmpty();
        assertThat(Examples.mainClass("Pi")).isEmpty();
        assertThat(Examples.mainClass("")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("org.posthouse.examples.Examples#all")
    void namesAClassThatCanBeStarted(Examples.Example example) throws ReflectiveOperationException {
        assertThat(Examples.mainClass(example.name())).contains(example.mainClass());
        Class<?> program = Class.forName(example.mainClass());
        int main = program.getMethod("main", String[].class).getModifiers();

        assertThat(Modifier.isPublic(program.getModifiers())).isTrue();
        assertThat(Modifier.isPublic(main) && Modifier.isStatic(main)).isTrue();
        assertThat(example.summary()).isNotBlank().doesNotContain("\n");
    }
}
