package org.posthouse.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobProgramTest {
    @TempDir
    private Path folder;

    @Test
    void aStarStandsForTheJarsOfAFolder() throws Exception {
        Path other = jar("b.jar", "other/Part.class");
        Path main = jar("a.JAR", "Main.class");
        Files.createFile(folder.resolve("notes.txt"));
        Path classes = Files.createDirectory(folder.resolve("classes"));
        JobProgram found = JobProgram.find("Main", classes + File.pathSeparator + folder + File.separator + "*");
        assertThat(found.classPath()).containsExactly(classes, main, other);
    }

    @Test
    void aStarThatStandsForNothingIsNamed() {
        String entry = folder + File.separator + "*";
        assertThatThrownBy(() -> JobProgram.find("Main", entry)).isInstanceOf(CommandFailure.class)
                .hasMessage("no jar in " + folder + ", which -cp names as " + entry);
    }

    @Test
    void anEmptyEntryIsTheWorkingFolder() throws Exception {
        Path main = jar("a.jar", "Main.class");
        Path here = Path.of("").toAbsolutePath();
        assertThat(JobProgram.find("Main", File.pathSeparator + main).classPath()).containsExactly(here, main);
        assertThat(JobProgram.find("example:pi", "").classPath()).doesNotContain(here);
    }

    @Test
    void aClassMayBeNamedAsItsFileIs() throws Exception {
        Path main = jar("a.jar", "org/example/Main.class");
        assertThat(JobProgram.find("org/example/Main", main.toString()).mainClass()).isEqualTo("org.example.Main");
    }

    @Test
    void aJarIsRunAsJavaDoes() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "org.example.Main");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "part.jar");
        manifest.getMainAttributes().putValue("Add-Opens", "java.base/java.lang java.base/java.util");
        Path main = folder.resolve("foo.jar");
        new JarOutputStream(Files.newOutputStream(main), manifest).close();
        jar("part.jar", "org/example/Main.class");
        JobProgram found = JobProgram.find(main.toString(), "");
        assertThat(found.classPath()).containsExactly(main);
        assertThat(found.mainClass()).isEqualTo("org.example.Main");
        assertThat(found.jvmFlags()).containsExactly("--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED");
        Path other = jar("other.jar", "Part.class");
        assertThat(JobProgram.find(main.toString(), other.toString()).classPath()).containsExactly(main, other);
    }

    @Test
    void aJarWithoutAMainClassIsNamed() throws Exception {
        String jar = jar("a.jar", "Main.class").toString();
        assertThatThrownBy(() -> JobProgram.find(jar, "")).isInstanceOf(CommandFailure.class).hasMessageContaining("no Main-Class in the manifest of " + jar);
    }

    private Path jar(String name, String entry) throws Exception {
        Path jar = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(entry));
        }
        return jar;
    }
}
