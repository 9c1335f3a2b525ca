package org.posthouse;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rule of the appliance's {@code ArchitectureTest} over the lab's packages too. */
@AnalyzeClasses(packages = "org.posthouse", importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
final class LabArchitectureTest {
    @ArchTest
    static final ArchRule PACKAGES_KNOW_EACH_OTHER_ONE_WAY = slices().matching("(**)").should().beFreeOfCycles();
}
