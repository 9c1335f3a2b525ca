package org.posthouse;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What runs beside a test has a thread: on two processors the common pool has one, and those of other tests wait for it (ADR 50). */
@AnalyzeClasses(packages = "org.posthouse", importOptions = ImportOption.OnlyIncludeTests.class)
final class TestThreadsTest {
    @ArchTest
    static final ArchRule NO_TEST_USES_THE_COMMON_POOL = noClasses()
            .should()
            .callMethod(CompletableFuture.class, "runAsync", Runnable.class)
            .orShould()
            .callMethod(CompletableFuture.class, "supplyAsync", Supplier.class);
}
